#include "interop/goal_dependencies.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace pipewright::goal {

void LabelledOps::add(const NamedDependency& named, uint32_t rank) {
  const bool known = find(named.op) != OpsByLabel::nothing && find(named.on) != OpsByLabel::nothing;
  known ? settle(named, rank) : forward_.push_back(named);
}

void LabelledOps::close(uint32_t rank) {
  for (const NamedDependency& named : forward_) settle(named, rank);
  forward_.clear();
  by_label_.clear();
}

uint32_t LabelledOps::required(Label label, const NamedDependency& named, uint32_t column,
                               uint32_t rank) const {
  const uint32_t op = by_label_.find(label);
  if (op != OpsByLabel::nothing) return op;
  throw InputError(
      {goal_.file, static_cast<int>(named.line), static_cast<int>(column)},
      fmt::format("rank {} has no op with the label '{}'", rank, goal_.label_table.text(label)));
}

void LabelledOps::settle(const NamedDependency& named, uint32_t rank) {
  const uint32_t op = required(named.op, named, named.op_column, rank);
  const uint32_t on = required(named.on, named, named.on_column, rank);
  if (op == on) {
    throw InputError({goal_.file, static_cast<int>(named.line), static_cast<int>(named.op_column)},
                     fmt::format("'{}' waits for itself", goal_.label_table.text(named.op)));
  }
  goal_.dependencies.push_back({op, on, named.on_start});
}

}  // namespace pipewright::goal
