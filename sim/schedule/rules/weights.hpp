// The weight versions of a schedule without a flush.
#pragma once

#include "schedule/rules/generators.hpp"

namespace pipewright::schedule::rules {

/// The key `weights` of a rules file.
struct Weights {
  config::Value source;
  std::optional<Expression> step_every;
  /// The version by Pass; the same for all when the user gives one.
  std::array<std::optional<Expression>, 4> version;
};
Weights read_weights(const config::Value& value, const Names& names);

/// Gives every pass the version it reads. Throws InputError for one that its rank has not made by
/// then.
void set_versions(const Weights& weights, Context& context, const Layout& layout,
                  Schedule& schedule);

}  // namespace pipewright::schedule::rules
