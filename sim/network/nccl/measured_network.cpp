#include "network/nccl/measured_network.hpp"

#include <algorithm>
#include <cmath>

#include "base/required.hpp"
#include "network/slowest.hpp"

namespace pipewright {
namespace {

constexpr double large_bytes = 1 << 20;
constexpr double widest_spread = 1.5, most_load = 1;

double log2_of(int nodes) { return std::log2(static_cast<double>(nodes)); }

/// Tells whether a measured time is shorter than `least` says that links allow.
bool outruns(const MeasuredCurve& curve, const MeasuredNetwork::Predict& least) {
  return std::ranges::any_of(curve.times, [&](const MeasuredTime& time) {
    if (time.bytes <= 0) return false;
    const auto links = least(curve.operation, curve.ranks_per_node, curve.nodes, time.bytes);
    return links && time.time_s < *links;
  });
}

}  // namespace

MeasuredNetwork::Row MeasuredNetwork::row_of(const MeasuredCurve& curve, const Predict& predicted) {
  Row row{curve.operation, curve.ranks_per_node, curve.nodes, {}};
  for (const MeasuredTime& time : curve.times) {
    if (time.bytes <= 0) continue;
    const auto without = predicted(curve.operation, curve.ranks_per_node, curve.nodes, time.bytes);
    if (!without || *without <= 0) break;
    row.by_log_bytes[std::log(time.bytes)] = {std::log(time.time_s), std::log(*without)};
  }
  return row;
}

double MeasuredNetwork::Row::log_factor(double bytes, const Predict& predicted) const {
  const double log_bytes = std::log(bytes);
  const auto at = [](const auto& point) {
    return point->second.log_time - point->second.log_predicted;
  };
  const auto above = by_log_bytes.lower_bound(log_bytes);
  if (above == by_log_bytes.end()) return at(std::prev(above));
  if (above == by_log_bytes.begin() || above->first == log_bytes) return at(above);
  const auto below = std::prev(above);
  const double share = (log_bytes - below->first) / (above->first - below->first);
  const double log_time =
      below->second.log_time + share * (above->second.log_time - below->second.log_time);
  return log_time - std::log(required(predicted(operation, ranks_per_node, nodes, bytes),
                                      "what is predicted at two sizes is predicted between them"));
}

MeasuredNetwork::MeasuredNetwork(const NetworkProfile& profile, const Predict& predicted,
                                 bool shared, const Predict& least)
    : shared_(shared), transport_(profile.transport) {
  for (const MeasuredCurve& curve : profile.curves) {
    most_ranks_per_node_ = std::max(most_ranks_per_node_, curve.ranks_per_node);
    Row row = row_of(curve, predicted);
    if (row.by_log_bytes.empty()) continue;
    if (least) outruns_links_ = outruns_links_ || outruns(curve, least);
    // Of several numbers of ranks on as many nodes the largest counts: it has all NICs.
    Row& kept = operations_[curve.operation].rows[curve.nodes];
    if (kept.by_log_bytes.empty() || kept.ranks_per_node < row.ranks_per_node)
      kept = std::move(row);
  }
  for (auto& [name, operation] : operations_) find_growth(operation, predicted);
}

/// By how much the logarithm of r grows from the row before the last to the last.
void MeasuredNetwork::find_growth(Operation& operation, const Predict& predicted) const {
  const auto last = std::prev(operation.rows.end());
  const bool is_first = last == operation.rows.begin();
  const int before = is_first ? 1 : std::prev(last)->first;
  if (last->first < 2 || (!shared_ && before < 2)) return;
  std::vector<double> growth;
  for (const auto& [log_bytes, point] : last->second.by_log_bytes) {
    if (log_bytes < std::log(large_bytes)) continue;
    const double factor = point.log_time - point.log_predicted;
    const double bytes = std::exp(log_bytes);
    growth.push_back(factor -
                     (is_first ? 0 : std::prev(last)->second.log_factor(bytes, predicted)));
  }
  if (growth.empty()) return;
  std::ranges::sort(growth);
  const double middle = growth[growth.size() / 2];
  operation.load = std::clamp(middle / std::log(double(last->first) / before), 0.0, most_load);
  const double draws = std::log(slowest_of(last->first, 1) / slowest_of(before, 1));
  if (draws > 0) operation.spread = std::clamp(middle / draws, 0.0, widest_spread);
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
  return measured ? measured->rows.rbegin()->first : 0;
}

double MeasuredNetwork::factor(std::string_view name, int ranks_per_node, int nodes, double bytes,
                               const Predict& predicted) const {
  const Operation* measured = operation(name, nodes);
  if (!measured || bytes <= 0) return 1;
  const auto& rows = measured->rows;
  const auto logarithm = [&](const Row& row) {
    return row.log_factor(bytes * row.ranks_per_node / ranks_per_node, predicted);
  };
  const auto above = rows.lower_bound(nodes);
  if (above == rows.end()) {
    const auto& [last_nodes, last] = *rows.rbegin();
    if (last_nodes == 1) return 1;
    const double growth =
        shared_ ? std::pow(double(nodes) / last_nodes, measured->load)
                : slowest_of(nodes, measured->spread) / slowest_of(last_nodes, measured->spread);
    return growth * std::exp(logarithm(last));
  }
  if (above->first == nodes) return std::exp(logarithm(above->second));
  if (above == rows.begin()) return nodes == 1 ? 1 : std::exp(logarithm(above->second));
  const auto below = std::prev(above);
  // Inside a node and between nodes are two networks.
  if (below->first == 1) return std::exp(logarithm(above->second));
  const double share =
      (log2_of(nodes) - log2_of(below->first)) / (log2_of(above->first) - log2_of(below->first));
  return std::exp(logarithm(below->second) +
                  share * (logarithm(above->second) - logarithm(below->second)));
}

}  // namespace pipewright
