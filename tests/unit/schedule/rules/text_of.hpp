// Words of a rules file with the place where they stand, for tests.
#pragma once

#include <memory>

#include "config/value.hpp"

namespace pipewright::schedule::rules {

/// A scalar at line 3, column 7 of "r.yaml".
inline config::Value text_of(const std::string& text) {
  config::Value value = config::scalar(text);
  value.mark = {std::make_shared<const std::string>("r.yaml"), 3, 7};
  return value;
}

}  // namespace pipewright::schedule::rules
