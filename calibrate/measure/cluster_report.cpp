#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "calibrate/measure/cluster.hpp"
#include "calibrate/measure/outliers.hpp"

namespace pipewright::calibration {
namespace {

/// "1.2 TFLOP/s"
std::string human(double value, const char* unit) {
  constexpr std::pair<double, const char*> prefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}};
  for (const auto& [size, prefix] : prefixes)
    if (value >= size) return fmt::format("{:.4g} {}{}", value / size, prefix, unit);
  return fmt::format("{:.4g} {}", value, unit);
}

std::string seconds_text(double value) { return fmt::format("{:.3g} us", value * 1e6); }

std::string rank_text(const MeasuredCluster& cluster, size_t rank) {
  return fmt::format("rank {} ({})", rank, cluster.devices[rank].host);
}

/// "..., 34 % below the median of 32 GFLOP/s (11 robust deviations)"
std::string beside(const Outlier& outlier, const std::string& median) {
  const double percent = 100 * std::abs(outlier.value / outlier.median - 1);
  return fmt::format("{:.0f} % {} the median of {} ({:.0f} robust deviations)", percent,
                     outlier.value < outlier.median ? "below" : "above", median,
                     std::abs(outlier.deviations));
}

std::vector<Outlier> of_devices(const MeasuredCluster& cluster, double DeviceRow::*value) {
  std::vector<double> values;
  for (const DeviceRow& row : cluster.devices) values.push_back(row.*value);
  return outliers(values);
}

void add_devices(const MeasuredCluster& cluster, const char* what, const char* unit,
                 double DeviceRow::*value, std::vector<std::string>& lines) {
  for (const Outlier& o : of_devices(cluster, value))
    lines.push_back(fmt::format("{}: {} at {}, {}", rank_text(cluster, o.index), what,
                                human(o.value, unit), beside(o, human(o.median, unit))));
}

void add_health(const MeasuredCluster& cluster, std::vector<std::string>& lines) {
  for (size_t r = 0; r < cluster.devices.size(); ++r) {
    const auto& health = cluster.devices[r].health;
    if (!health) continue;
    if (!health->throttled.empty())
      lines.push_back(fmt::format("{}: clocks held down by {}, at {} of {} MHz and {} C",
                                  rank_text(cluster, r), health->throttled, health->clock_mhz,
                                  health->most_clock_mhz, health->temperature_c));
    if (health->ecc_errors > 0)
      lines.push_back(fmt::format("{}: {} uncorrected memory errors", rank_text(cluster, r),
                                  health->ecc_errors));
  }
}

/// The pairs that are worse than those of their kind, each with what it is.
using BadPairs = std::map<std::pair<size_t, size_t>, std::string>;

void add_bad(const MeasuredCluster& cluster, bool one_host, BadPairs& bad) {
  const size_t n = cluster.devices.size();
  std::vector<std::pair<size_t, size_t>> pairs;
  std::vector<double> latencies, bandwidths;
  for (size_t a = 0; a < n; ++a)
    for (size_t b = 0; b < n; ++b) {
      if (a == b || (cluster.devices[a].host == cluster.devices[b].host) != one_host) continue;
      pairs.emplace_back(a, b);
      latencies.push_back(cluster.pairs[a * n + b].latency_s);
      bandwidths.push_back(cluster.pairs[a * n + b].bytes_per_s);
    }
  for (const Outlier& o : outliers(bandwidths))
    if (o.value < o.median)
      bad[pairs[o.index]] =
          fmt::format("{}, {}", human(o.value, "B/s"), beside(o, human(o.median, "B/s")));
  for (const Outlier& o : outliers(latencies))
    if (o.value > o.median)
      bad[pairs[o.index]] =
          fmt::format("{}, {}", seconds_text(o.value), beside(o, seconds_text(o.median)));
}

/// A rank most of whose pairs are bad is named once.
void add_pairs(const MeasuredCluster& cluster, std::vector<std::string>& lines) {
  BadPairs bad;
  for (const bool one_host : {true, false}) add_bad(cluster, one_host, bad);
  const size_t n = cluster.devices.size();
  std::vector<size_t> count(n);
  for (const auto& [pair, text] : bad) ++count[pair.first], ++count[pair.second];
  const auto mostly = [&](size_t rank) { return n > 2 && count[rank] > n - 1; };
  for (size_t rank = 0; rank < n; ++rank)
    if (mostly(rank))
      lines.push_back(fmt::format("{}: {} of its {} routes to and from others are slow",
                                  rank_text(cluster, rank), count[rank], 2 * (n - 1)));
  for (const auto& [pair, text] : bad)
    if (!mostly(pair.first) && !mostly(pair.second))
      lines.push_back(fmt::format("from {} to {}: {}", rank_text(cluster, pair.first),
                                  rank_text(cluster, pair.second), text));
}

template <class F>
std::string matrix(const MeasuredCluster& cluster, F&& text) {
  const size_t n = cluster.devices.size();
  std::string rows;
  for (size_t a = 0; a < n; ++a) {
    rows += "  - [";
    for (size_t b = 0; b < n; ++b)
      rows += (b > 0 ? ", " : "") + text(a == b ? PairTimes{} : cluster.pairs[a * n + b]);
    rows += "]\n";
  }
  return rows;
}

/// Returns the speeds in products beside the median device: 1, 0.97, ...
std::string speeds(const MeasuredCluster& cluster) {
  std::vector<double> rates;
  for (const DeviceRow& row : cluster.devices) rates.push_back(row.flops_per_s);
  const double usual = median(rates);
  std::string list;
  for (const double rate : rates)
    list += fmt::format("{}{:.3g}", list.empty() ? "" : ", ", rate / usual);
  return list;
}

}  // namespace

std::vector<std::string> findings(const MeasuredCluster& cluster) {
  std::vector<std::string> lines;
  add_devices(cluster, "products", "FLOP/s", &DeviceRow::flops_per_s, lines);
  add_devices(cluster, "copies", "B/s", &DeviceRow::bytes_per_s, lines);
  add_health(cluster, lines);
  add_pairs(cluster, lines);
  return lines;
}

std::string cluster_yaml(const MeasuredCluster& cluster, const std::string& name) {
  return fmt::format(
      "name: {}\ndescription: {} devices, measured between every two\ndevices: {}\n"
      "speeds: [{}]  # of products, 1 = the median\n"
      "latency_matrix:  # row = from, column = to\n{}bandwidth_matrix:\n{}",
      name, cluster.devices.size(), cluster.devices.size(), speeds(cluster),
      matrix(cluster,
             [](const PairTimes& p) { return fmt::format("{:.4g} us", p.latency_s * 1e6); }),
      matrix(cluster, [](const PairTimes& p) { return human(p.bytes_per_s, "B/s"); }));
}

std::string stragglers_yaml(const MeasuredCluster& cluster) {
  std::string list;
  for (const Outlier& o : of_devices(cluster, &DeviceRow::flops_per_s))
    if (o.value < o.median)
      list += fmt::format("{}{{device: {}, slowdown: {:.3g}}}", list.empty() ? "" : ", ", o.index,
                          o.median / o.value);
  return list.empty() ? list : fmt::format("stragglers: [{}]", list);
}

std::string devices_csv(const MeasuredCluster& cluster) {
  std::string text =
      "rank,host,device,flops_per_s,bytes_per_s,spread,uuid,clock_mhz,most_clock_mhz,"
      "temperature_c,throttled,ecc_errors\n";
  for (size_t r = 0; r < cluster.devices.size(); ++r) {
    const DeviceRow& row = cluster.devices[r];
    std::string name = row.name;
    std::replace(name.begin(), name.end(), ',', ' ');
    text += fmt::format("{},{},{},{:.5g},{:.5g},{:.3g},", r, row.host, name, row.flops_per_s,
                        row.bytes_per_s, row.spread);
    if (const auto& h = row.health)
      text += fmt::format("{},{},{},{},{},{}\n", h->uuid, h->clock_mhz, h->most_clock_mhz,
                          h->temperature_c, h->throttled, h->ecc_errors);
    else
      text += ",,,,,\n";
  }
  return text;
}

}  // namespace pipewright::calibration
