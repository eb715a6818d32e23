// A rules file, read and checked as far as it can be without a shape.
#pragma once

#include <variant>

#include "schedule/rules/weights.hpp"

namespace pipewright::schedule::rules {

struct Parameter {
  std::string name;
  int variable;
  Expression otherwise;  ///< its default
};

struct Requirement {
  Expression that;
  std::string otherwise;  ///< what is wrong where it does not hold
};

struct RulesFile {
  Names names;
  std::optional<Expression> chunks, slices;  ///< defaults; absent where the file knows none
  std::vector<Parameter> parameters;
  std::vector<Requirement> requirements;
  Placement placement;
  config::Value order_source;  ///< where the orders are given
  std::variant<Steps, OfPasses, Priorities> orders;
  bool flush = true;
  std::optional<Weights> weights;
};

RulesFile read_rules(const config::Value& document);

}  // namespace pipewright::schedule::rules
