#include "network/nccl/network_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "config/catalogue.hpp"
#include "interop/nccl_run.hpp"
#include "network/nccl/operations.hpp"
#include "network/nccl/predicted.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;
using interop::NcclPoint;

constexpr std::string_view schema = "pipewright.network/1";

/// Times, each as often as it was measured.
class Times {
 public:
  void add(double time_s, int often) { often_[time_s] += often; }

  int64_t count() const {
    int64_t count = 0;
    for (const auto& [time, often] : often_) count += often;
    return count;
  }

  double percentile(double share) const {
    const double place = share * static_cast<double>(count() - 1);
    const auto below = static_cast<int64_t>(place);
    const double low = number(below), high = number(std::min(below + 1, count() - 1));
    return low + (place - static_cast<double>(below)) * (high - low);
  }

 private:
  /// Returns the time of that number, from 0, in ascending order.
  double number(int64_t place) const {
    for (const auto& [time, often] : often_) {
      if (place < often) return time;
      place -= often;
    }
    return often_.rbegin()->first;
  }

  std::map<double, int64_t> often_;
};

/// All measurements of one point. A row over several jobs weighs as many.
struct Repetitions {
  Times times, low, high;

  void add(const NcclPoint& point) {
    times.add(point.time_s, point.jobs);
    low.add(point.p5_s.value_or(point.time_s), point.jobs);
    high.add(point.p95_s.value_or(point.time_s), point.jobs);
  }
  MeasuredTime at(double bytes) const {
    constexpr int64_t most = 1'000'000'000;
    return {bytes, times.percentile(0.5), low.percentile(0.05), high.percentile(0.95),
            static_cast<int>(std::min(times.count(), most))};
  }
};

/// The relative errors of interpolating each size between its neighbours.
void add_errors(const MeasuredCurve& curve, std::vector<double>& errors) {
  for (size_t i = 1; i + 1 < curve.times.size(); ++i) {
    MeasuredCurve others = curve;
    others.times.erase(others.times.begin() + static_cast<std::ptrdiff_t>(i));
    errors.push_back(interpolated_s(others, curve.times[i].bytes) / curve.times[i].time_s - 1);
  }
}

HeldOut held_out_of(const NetworkProfile& profile) {
  std::vector<double> errors;
  for (const MeasuredCurve& curve : profile.curves) add_errors(curve, errors);
  return summary_of(std::move(errors));
}

Value list_value() {
  Value list;
  list.kind = Value::Kind::list;
  return list;
}

Value seconds_value(double s) { return config::scalar(fmt::format("{:.5g} us", s * 1e6)); }

Value time_value(const MeasuredTime& time) {
  Value map;
  map.set("bytes", config::number(static_cast<int64_t>(time.bytes)));
  map.set("time", seconds_value(time.time_s));
  map.set("p5", seconds_value(time.p5_s));
  map.set("p95", seconds_value(time.p95_s));
  map.set("count", config::number(time.count));
  return map;
}

MeasuredTime read_time(const Value& value) {
  const Fields fields(value, "a measured time", {"bytes", "time", "p5", "p95", "count"});
  MeasuredTime time;
  time.bytes = static_cast<double>(config::as_bytes(fields.at("bytes")).count);
  time.time_s = config::as_seconds(fields.at("time"));
  if (!(time.time_s > 0)) fields.at("time").fail("a measured time must be above zero");
  time.p5_s = in_seconds(fields.time("p5", seconds(time.time_s)));
  time.p95_s = in_seconds(fields.time("p95", seconds(time.time_s)));
  if (const Value* p5 = fields.find("p5"); p5 && config::as_seconds(*p5) > time.time_s)
    p5->fail("'p5' must not be above 'time'");
  if (const Value* p95 = fields.find("p95"); p95 && config::as_seconds(*p95) < time.time_s)
    p95->fail("'p95' must not be below 'time'");
  time.count = static_cast<int>(fields.integer("count", 1, 1, 1'000'000'000));
  return time;
}

/// Refuses a time that no noise explains, after that of fewer bytes. The first may take in what
/// starts up.
void check_growth(const std::vector<MeasuredTime>& times, const Value& last) {
  if (times.size() < 3) return;
  const MeasuredTime &more = times.back(), &fewer = times.end()[-2];
  if (more.time_s * interop::least_growth < fewer.time_s)
    last.fail(
        fmt::format("{:.0f} bytes take {:.4g} us, {:.0f} bytes took {:.4g} us: no noise is "
                    "so large",
                    more.bytes, more.time_s * 1e6, fewer.bytes, fewer.time_s * 1e6));
}

MeasuredCurve read_curve(const Value& value) {
  const Fields fields(value, "a measured collective",
                      {"operation", "ranks_per_node", "nodes", "times"});
  MeasuredCurve curve;
  curve.operation = config::as_text(fields.at("operation"), "an operation");
  if (!find_operation(curve.operation))
    fields.at("operation").fail(fmt::format("unknown operation '{}'", curve.operation));
  curve.ranks_per_node = static_cast<int>(fields.integer("ranks_per_node", 1, 1, 4096));
  curve.nodes = static_cast<int>(fields.integer("nodes", 1, 1, 1'000'000));
  const Value& times = fields.at("times");
  if (!times.is_list() || times.items.empty()) times.fail("expected a list of measured times");
  for (const Value& item : times.items) {
    curve.times.push_back(read_time(item));
    if (curve.times.size() > 1 && curve.times.back().bytes <= curve.times.end()[-2].bytes)
      item.fail("sizes must ascend");
    check_growth(curve.times, item);
  }
  return curve;
}

}  // namespace

double interpolated_s(const MeasuredCurve& curve, double bytes) {
  const std::vector<MeasuredTime>& times = curve.times;
  const auto above = std::ranges::lower_bound(times, bytes, {}, &MeasuredTime::bytes);
  if (above == times.begin()) return above->time_s;
  const MeasuredTime& low = above[-1];
  if (above == times.end()) return low.time_s * bytes / std::max(low.bytes, 1.0);
  return std::lerp(low.time_s, above->time_s, (bytes - low.bytes) / (above->bytes - low.bytes));
}

NetworkProfile network_profile_of(std::span<const NcclPoint> points, const std::string& file) {
  std::map<std::tuple<std::string, int, int>, std::map<int64_t, Repetitions>> all;
  NetworkProfile profile;
  for (const NcclPoint& point : points) {
    if (point.ranks % point.nodes != 0)
      throw InputError({file},
                       fmt::format("{} ranks do not divide by {} nodes", point.ranks, point.nodes));
    all[{point.operation, point.ranks / point.nodes, point.nodes}][point.bytes.count].add(point);
    if (profile.library.empty()) profile.library = point.library;
    if (profile.transport.empty()) profile.transport = point.transport;
  }
  for (const auto& [key, sizes] : all) {
    MeasuredCurve& curve = profile.curves.emplace_back();
    std::tie(curve.operation, curve.ranks_per_node, curve.nodes) = key;
    for (const auto& [bytes, repetitions] : sizes)
      curve.times.push_back(repetitions.at(static_cast<double>(bytes)));
  }
  profile.held_out = held_out_of(profile);
  return profile;
}

Value to_value(const NetworkProfile& profile) {
  Value document;
  document.set("schema", config::scalar(std::string(schema)));
  if (!profile.library.empty()) document.set("software", config::scalar(profile.library));
  if (!profile.transport.empty()) document.set("transport", config::scalar(profile.transport));
  if (profile.held_out.points > 0) document.set("held_out", to_value(profile.held_out));
  Value curves = list_value();
  for (const MeasuredCurve& curve : profile.curves) {
    Value map;
    map.set("operation", config::scalar(curve.operation));
    map.set("ranks_per_node", config::number(curve.ranks_per_node));
    map.set("nodes", config::number(curve.nodes));
    Value times = list_value();
    for (const MeasuredTime& time : curve.times) times.items.push_back(time_value(time));
    map.set("times", std::move(times));
    curves.items.push_back(std::move(map));
  }
  document.set("measured", std::move(curves));
  return document;
}

NetworkProfile read_network_profile(const Value& document) {
  const Fields fields(
      document, "a network profile",
      {"schema", "description", "source", "software", "transport", "held_out", "measured"});
  const Value& said = fields.at("schema");
  if (config::as_text(said, "a schema") != schema)
    said.fail(fmt::format("'{}' must be {}", said.text, schema));
  NetworkProfile profile;
  profile.library = fields.text("software", "");
  profile.transport = fields.text("transport", "");
  const Value& curves = fields.at("measured");
  if (!curves.is_list() || curves.items.empty())
    curves.fail("'measured' must be a list of measured collectives");
  for (const Value& item : curves.items) profile.curves.push_back(read_curve(item));
  profile.held_out = held_out_of(profile);
  return profile;
}

NetworkProfile network_profile_at(const Value& said) {
  if (said.is_map()) return read_network_profile(said);
  const std::string path = config::path_seen_from(config::as_text(said, "a path"), said.mark);
  const config::Value document = config::parse_file(path, said.mark.where());
  if (!document.is_map())
    said.fail(
        fmt::format("'{0}' is no network profile. Of logs of nccl-tests 'pipewright import "
                    "nccl-tests {0} -o FILE' makes one",
                    path));
  return read_network_profile(document);
}

}  // namespace pipewright
