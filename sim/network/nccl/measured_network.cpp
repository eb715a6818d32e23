#include "network/nccl/measured_network.hpp"

#include <algorithm>
#include <cmath>

#include "base/required.hpp"
#include "network/slowest.hpp"

namespace pipewright {
namespace {

constexpr double large_bytes = 1 << 20;
constexpr double widest_spread = 1.5, most_load = 1;
constexpr int least_repetitions = 3;
constexpr double deviations_apart = 2 * 1.645;  ///< the 5th and 95th percentile of a normal

double log2_of(int nodes) { return std::log2(static_cast<double>(nodes)); }

/// Tells whether a measured time is shorter than `least` says that links allow.
bool outruns(const MeasuredCurve& curve, const MeasuredNetwork::Predict& least) {
  return std::ranges::any_of(curve.times, [&](const MeasuredTime& time) {
    if (time.bytes <= 0) return false;
    const auto links = least(curve.operation, curve.ranks_per_node, curve.nodes, time.bytes);
    return links && time.time_s < *links;
  });
}

/// Returns the deviation of the logarithm that repetitions show at large sizes, the median of them;
/// the widest of all where nothing was repeated.
double repeated_spread(const MeasuredCurve& curve) {
  std::vector<double> spreads;
  for (const MeasuredTime& time : curve.times)
    if (time.bytes >= large_bytes && time.count >= least_repetitions && time.p5_s > 0)
      spreads.push_back(std::log(time.p95_s / time.p5_s) / deviations_apart);
  if (spreads.empty()) return widest_spread;
  std::ranges::sort(spreads);
  return std::min(spreads[spreads.size() / 2], widest_spread);
}

/// Returns the part of a curve of which something is predicted.
MeasuredCurve predicted_part(const MeasuredCurve& curve,
                             const MeasuredNetwork::Predict& predicted) {
  MeasuredCurve part{curve.operation, curve.ranks_per_node, curve.nodes, {}};
  for (const MeasuredTime& time : curve.times) {
    if (time.bytes <= 0) continue;
    const auto without = predicted(curve.operation, curve.ranks_per_node, curve.nodes, time.bytes);
    if (!without || *without <= 0) break;
    part.times.push_back(time);
  }
  return part;
}

/// Returns the logarithm of r at a size for the curve's ranks a node.
double log_factor(const MeasuredCurve& curve, double bytes,
                  const MeasuredNetwork::Predict& predicted) {
  const double known = std::clamp(bytes, curve.times.front().bytes, curve.times.back().bytes);
  return std::log(interpolated_s(curve, known) /
                  required(predicted(curve.operation, curve.ranks_per_node, curve.nodes, known),
                           "what is predicted at two sizes is predicted between them"));
}

}  // namespace

MeasuredNetwork::MeasuredNetwork(const NetworkProfile& profile, const Predict& predicted,
                                 bool shared, const Predict& least)
    : shared_(shared), transport_(profile.transport) {
  for (const MeasuredCurve& curve : profile.curves) {
    most_ranks_per_node_ = std::max(most_ranks_per_node_, curve.ranks_per_node);
    MeasuredCurve part = predicted_part(curve, predicted);
    if (part.times.empty()) continue;
    if (least) outruns_links_ = outruns_links_ || outruns(curve, least);
    // Of several numbers of ranks on as many nodes the largest counts: it has all NICs.
    MeasuredCurve& kept = operations_[curve.operation].curves[curve.nodes];
    if (kept.times.empty() || kept.ranks_per_node < part.ranks_per_node) kept = std::move(part);
  }
  for (auto& [name, operation] : operations_) find_growth(operation, predicted);
}

/// By how much the logarithm of r grows from the row before the last to the last.
void MeasuredNetwork::find_growth(Operation& operation, const Predict& predicted) const {
  const auto last = std::prev(operation.curves.end());
  const bool is_first = last == operation.curves.begin();
  const int before = is_first ? 1 : std::prev(last)->first;
  if (last->first < 2 || (!shared_ && before < 2)) return;
  std::vector<double> growth;
  for (const MeasuredTime& time : last->second.times) {
    if (time.bytes < large_bytes) continue;
    const double factor = log_factor(last->second, time.bytes, predicted);
    growth.push_back(factor -
                     (is_first ? 0 : log_factor(std::prev(last)->second, time.bytes, predicted)));
  }
  if (growth.empty()) return;
  std::ranges::sort(growth);
  const double middle = growth[growth.size() / 2];
  operation.load = std::clamp(middle / std::log(double(last->first) / before), 0.0, most_load);
  const double draws = std::log(slowest_of(last->first, 1) / slowest_of(before, 1));
  if (draws > 0) operation.spread = std::clamp(middle / draws, 0.0, repeated_spread(last->second));
}

MeasuredNetwork::Operations::const_iterator MeasuredNetwork::between_nodes(
    std::string_view name) const {
  for (const std::string_view like :
       {name, std::string_view("all_gather"), std::string_view("reduce_scatter"),
        std::string_view("all_reduce")})
    if (const auto found = operations_.find(like); found != operations_.end()) return found;
  return operations_.begin();
}

const MeasuredNetwork::Operation* MeasuredNetwork::operation(std::string_view name,
                                                             int nodes) const {
  const auto found = nodes == 1 ? operations_.find(name) : between_nodes(name);
  return found == operations_.end() ? nullptr : &found->second;
}

std::string_view MeasuredNetwork::stand_in(std::string_view name) const {
  const auto found = between_nodes(name);
  return found == operations_.end() ? std::string_view() : found->first;
}

int MeasuredNetwork::most_nodes(std::string_view name) const {
  const Operation* measured = operation(name, 2);
  return measured ? measured->curves.rbegin()->first : 0;
}

double MeasuredNetwork::factor(std::string_view name, int ranks_per_node, int nodes, double bytes,
                               const Predict& predicted) const {
  const Operation* measured = operation(name, nodes);
  if (!measured || bytes <= 0) return 1;
  const auto& curves = measured->curves;
  const auto logarithm = [&](const MeasuredCurve& curve) {
    return log_factor(curve, bytes * curve.ranks_per_node / ranks_per_node, predicted);
  };
  const auto above = curves.lower_bound(nodes);
  if (above == curves.end()) {
    const auto& [last_nodes, last] = *curves.rbegin();
    if (last_nodes == 1) return 1;
    const double growth =
        shared_ ? std::pow(double(nodes) / last_nodes, measured->load)
                : slowest_of(nodes, measured->spread) / slowest_of(last_nodes, measured->spread);
    return growth * std::exp(logarithm(last));
  }
  if (above->first == nodes) return std::exp(logarithm(above->second));
  if (above == curves.begin()) return nodes == 1 ? 1 : std::exp(logarithm(above->second));
  const auto below = std::prev(above);
  // Inside a node and between nodes are two networks.
  if (below->first == 1) return std::exp(logarithm(above->second));
  const double share =
      (log2_of(nodes) - log2_of(below->first)) / (log2_of(above->first) - log2_of(below->first));
  return std::exp(logarithm(below->second) +
                  share * (logarithm(above->second) - logarithm(below->second)));
}

}  // namespace pipewright
