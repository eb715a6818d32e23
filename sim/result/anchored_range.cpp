// Ranges of anchored predictions: published runs are anchored by others of their machine, as a
// user's are, and what then is left decides. A machine is what a source measured on a device under
// a framework.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "result/anchor.hpp"
#include "result/likeness.hpp"
#include "result/ranges.hpp"
#include "result/unexplained.hpp"

namespace pipewright {
namespace {

using Rows = std::vector<const ResidualRow*>;

/// What an anchor of other runs leaves of a run's residual.
struct Left {
  double logarithm = 0;
  double doublings = 0;  ///< of nodes, from the others' geometric mean to the run's
};

/// Anchors row `one` of a machine by up to `runs` others, which are spread over the machine.
Left anchored(const Rows& machine, size_t one, int runs) {
  const size_t others = std::min(machine.size() - 1, static_cast<size_t>(runs));
  std::vector<AnchorPoint> points;
  double doublings = std::log2(machine[one]->nodes);
  for (size_t j = 0; j < others; ++j) {
    const size_t at = (one + 1 + j * (machine.size() - 1) / others) % machine.size();
    const ResidualRow& other = *machine[at];
    points.push_back({std::log(other.slower), shares_of(other.regime())});
    doublings -= std::log2(other.nodes) / static_cast<double>(others);
  }
  const AnchorParts factors = updated(prior_anchor(), points).factors;
  const AnchorParts shares = shares_of(machine[one]->regime());
  double left = std::log(machine[one]->slower);
  for (size_t part = 0; part < shares.size(); ++part)
    left -= shares[part] * std::log(factors[part]);
  return {left, doublings};
}

/// The machines of all groups but one.
std::vector<Rows> machines_without(std::string_view group) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Rows> machines;
  for (const ResidualRow& row : published_residuals())
    if (row.group != group)
      machines[{source_of(row.group), row.framework, row.device}].push_back(&row);
  std::vector<Rows> all;
  for (auto& [key, rows] : machines)
    if (rows.size() > 1) all.push_back(std::move(rows));
  return all;
}

/// How much doubt is shared by two ways from an anchor's nodes to a run's: as ranges have it.
double nodes_likeness(double doublings, double others) {
  const double distance = (doublings - others) / alike_doublings;
  return std::exp(-distance * distance / 2);
}

}  // namespace

KnownRange anchored_range_of(const Regime& regime, const Anchor& anchor, std::string_view group) {
  const std::map<std::string_view, double> weights = group_weights(published_residuals());
  const double doublings = std::log2(regime.nodes) - std::log2(anchor.nodes);
  const std::vector<Rows> machines = machines_without(group);
  std::vector<Weighed> residuals;
  for (const Rows& machine : machines) {
    for (size_t one = 0; one < machine.size(); ++one) {
      const Left left = anchored(machine, one, anchor.runs);
      const double like =
          likeness(regime, *machine[one]) * nodes_likeness(doublings, left.doublings);
      residuals.push_back({left.logarithm, weights.at(machine[one]->group) * like});
    }
  }
  const size_t count = residuals.size();
  Range range = range_between_deciles(std::move(residuals));
  if (is_doubted(regime, anchor)) {
    const Range alone = range_of_factors(regime, anchor);
    range = {std::min(range.low, alone.low), std::max(range.high, alone.high)};
  }
  return {range, fmt::format("an anchor of {} runs, as it serves {} published runs of {} machines",
                             anchor.runs, count, machines.size())};
}

}  // namespace pipewright
