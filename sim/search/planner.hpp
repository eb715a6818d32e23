// A planner: one file each, found by its name in meson.build's list.
#pragma once

#include <span>
#include <string_view>

#include "search/problem.hpp"

namespace pipewright::search {

struct Planner {
  std::string_view name, summary;
  /// Returns its one proposal, simulated. Throws Misfit where it has none for this model and
  /// cluster.
  Proposal (*propose)(const Problem& problem);
  /// Cuts sequences into slices, whose kernels no bound knows.
  bool slices = false;
  /// Also tries plans that leave nodes idle, so that what it finds on some it finds on more.
  bool spares = false;
};

/// Returns the planners in the order of the list.
std::span<const Planner* const> planners();

/// Returns what each of `names` proposes (empty: all), and the best of it.
PlanResult plan(const Problem& problem, const std::vector<std::string>& names);

}  // namespace pipewright::search
