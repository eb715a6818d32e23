// The labelled ops of one rank, and what waits for them. Internal to this folder.
#pragma once

#include <vector>

#include "interop/goal.hpp"
#include "interop/goal_labels.hpp"

namespace pipewright::goal {

/// A dependency as it is written.
struct NamedDependency {
  Label op, on;
  bool on_start;
  uint32_t line, op_column, on_column;
};

class LabelledOps {
 public:
  /// Dependencies go to `goal`, which outlives it.
  explicit LabelledOps(Goal& goal) : goal_(goal) {}

  /// Returns the op that has the label, or OpsByLabel::nothing.
  uint32_t find(Label label) const { return by_label_.find(label); }
  void add(Label label, uint32_t op) { by_label_.add(label, op); }
  /// Adds a dependency of `rank`, at its end where it names what is not known yet.
  void add(const NamedDependency& named, uint32_t rank);
  /// Ends the rank. Throws InputError where a dependency names what the rank does not have.
  void close(uint32_t rank);

 private:
  uint32_t required(Label label, const NamedDependency& named, uint32_t column,
                    uint32_t rank) const;
  void settle(const NamedDependency& named, uint32_t rank);

  Goal& goal_;
  OpsByLabel by_label_;
  std::vector<NamedDependency> forward_;  // on labels that were not known yet
};

}  // namespace pipewright::goal
