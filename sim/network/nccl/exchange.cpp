// The time of an exchange of tokens from what its library was measured to reach.
//
//   time = max(S (m - 1) / (m N e), S f / (L l))
//
//   S bytes, as sent once to each of m nodes; n ranks; N a member's part of the NICs, e the share
//   reached over m nodes; L a member's links in the node, l the share reached by n ranks; f how
//   many times the devices outnumber the nodes that a token goes to (expert_spread.cpp), as a token
//   goes over the links once for each device. On one node S is sent once to each device, and f = 1.
//   Where copies go one by one, S is all of them and f = 1.
//
// Published rates count what stays on the node or the device, which takes no time between nodes and
// as long as the rest within one. A direction is not told from the other: the mean of both is
// taken. A larger group that was measured to be faster is taken to be as fast as the smaller one.
// Beyond the nodes and ranks that were measured shares stay what they were. Other devices and NICs
// are taken to reach the same shares. Source: topologies/dispatchers/*.yaml.
#include "network/nccl/exchange.hpp"

#include <algorithm>
#include <cmath>

#include "config/catalogue.hpp"
#include "network/other_jobs.hpp"
#include "workload/transformer/expert_spread.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

constexpr int most_ranks = 1 << 20;

double rate_of(const Value& bandwidth) { return config::as_bandwidth(bandwidth).bytes_per_s; }

/// Reads points, whose rates are of links of `rate` bytes/s.
std::vector<ExchangeRates::Point> read_points(const Value& list, std::string_view count_key,
                                              double rate) {
  if (!list.is_list() || list.items.empty()) list.fail("expected a list of measured points");
  std::vector<ExchangeRates::Point> points;
  for (const Value& item : list.items) {
    const Fields fields(item, "a point", {count_key, "dispatch", "combine"});
    const int count = static_cast<int>(config::as_int(fields.at(count_key), 2, most_ranks));
    if (!points.empty() && count <= points.back().count)
      fields.at(count_key).fail("points come in order of their count");
    const double mean = (rate_of(fields.at("dispatch")) + rate_of(fields.at("combine"))) / 2;
    const double most = points.empty() ? mean / rate : points.back().share;
    points.push_back({count, std::min(mean / rate, most)});
  }
  return points;
}

/// Returns how many times as much goes over links as to nodes.
double fan_out(const Exchange& exchange, const NcclRequest& r) {
  if (exchange.rates.each_copy || r.nodes == 1) return 1;
  return sent_once(exchange.experts, r.ranks) / sent_once(exchange.experts, r.nodes);
}

}  // namespace

ExchangeRates read_exchange_rates(const Value& value, const config::Catalogue& catalogue) {
  const Value entry = catalogue.resolve("dispatchers", value);
  const Fields fields(entry, "a dispatcher",
                      {"description", "copies", "nic", "nvlink", "processors", "network", "links",
                       "source", "verified", "notes"});
  ExchangeRates rates;
  const Value* copies = fields.find("copies");
  rates.each_copy = copies && config::as_choice(*copies, {"once", "each"}) == 1;
  rates.processors = static_cast<int>(fields.integer("processors", 0, 0, 1024));
  rates.network = read_points(fields.at("network"), "nodes", rate_of(fields.at("nic")));
  for (ExchangeRates::Point& point : rates.network) point.share *= 1 - 1.0 / point.count;
  rates.links = read_points(fields.at("links"), "ranks", rate_of(fields.at("nvlink")));
  return rates;
}

ExchangeRates exchange_rates(std::string_view name, const config::Catalogue& catalogue) {
  return read_exchange_rates(config::scalar(name), catalogue);
}

double share_at(std::span<const ExchangeRates::Point> points, int count) {
  if (count <= points.front().count) return points.front().share;
  for (size_t k = 1; k < points.size(); ++k) {
    const auto [before, low] = points[k - 1];
    const auto [after, high] = points[k];
    if (count <= after)
      return low +
             (high - low) * std::log2(double(count) / before) / std::log2(double(after) / before);
  }
  return points.back().share;
}

double exchange_moving_s(const Exchange& exchange, const NcclRequest& r, double most) {
  const auto bytes = static_cast<double>(r.bytes.count);
  const double links = r.nodes == 1 ? r.ring_bandwidth : r.node_bandwidth;
  double moving_s = 0;
  if (links > 0)
    moving_s = bytes * fan_out(exchange, r) / (links * share_at(exchange.rates.links, r.ranks));
  if (r.nodes == 1) return moving_s;
  const double load = r.beside_other_jobs ? expected_load(r.fabric, r.nodes) : 1;
  const double share = std::min(most, share_at(exchange.rates.network, r.nodes));
  return std::max(moving_s, load * bytes * (1 - 1.0 / r.nodes) / (share * out_of_member(r)));
}

}  // namespace pipewright
