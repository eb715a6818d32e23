#include "cost/conditions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cost/written.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::scalar;
using config::Value;

constexpr double drifted = 1.05, stolen_much = 0.02;
constexpr double clock_fell = 0.95;

double seconds_at(const Fields& fields, const char* key) {
  return config::as_seconds(fields.at(key));
}

const std::vector<Value>& list_at(const Fields& fields, const char* key) {
  const Value& value = fields.at(key);
  if (!value.is_list()) value.fail(fmt::format("{} is a list", key));
  return value.items;
}

BesideTime read_beside(const Value& value) {
  const Fields at(value, "beside",
                  {"kernel", "what", "channels", "alone", "beside", "moved", "memory_share"});
  BesideTime time{.kernel = config::as_text(at.at("kernel")),
                  .what = config::as_text(at.at("what")),
                  .channels = static_cast<int>(config::as_int(at.at("channels"), 1, 1 << 20)),
                  .alone_s = seconds_at(at, "alone"),
                  .beside_s = seconds_at(at, "beside"),
                  .bytes_per_s = config::as_bandwidth(at.at("moved")).bytes_per_s,
                  .memory_share = config::as_fraction(at.at("memory_share"), 0, 1)};
  for (const char* key : {"alone", "beside"})
    if (!(seconds_at(at, key) > 0)) at.at(key).fail("a kernel takes some time");
  return time;
}

Steadiness read_steadiness(const Value& value) {
  const Fields at(value, "steadiness",
                  {"first_clock", "last_clock", "slowdown", "stolen", "load", "held", "verdict"});
  return {.first_clock_hz = at.real("first_clock", 0, 0, 1e12),
          .last_clock_hz = at.real("last_clock", 0, 0, 1e12),
          .slowdown = at.real("slowdown", 1, 1e-6, 1e6),
          .stolen = at.real("stolen", 0, 0, 1),
          .load = at.real("load", 0, 0, 1e9),
          .held = at.text("held", "")};
}

Value to_value(const BesideTime& time) {
  Value value;
  value.set("kernel", scalar(time.kernel));
  value.set("what", scalar(time.what));
  value.set("channels", config::number(time.channels));
  value.set("alone", written_time(time.alone_s));
  value.set("beside", written_time(time.beside_s));
  value.set("moved", scalar(fmt::format("{:.4g} GB/s", std::max(time.bytes_per_s, 1.0) * 1e-9)));
  value.set("memory_share", written_number(time.memory_share));
  return value;
}

Value to_value(const Steadiness& steadiness) {
  Value value;
  if (steadiness.first_clock_hz > 0) {
    value.set("first_clock", written_number(steadiness.first_clock_hz));
    value.set("last_clock", written_number(steadiness.last_clock_hz));
  }
  value.set("slowdown", written_number(steadiness.slowdown));
  value.set("stolen", written_number(steadiness.stolen));
  value.set("load", written_number(steadiness.load));
  if (!steadiness.held.empty()) value.set("held", scalar(steadiness.held));
  if (!steadiness.verdict().empty()) value.set("verdict", scalar(steadiness.verdict()));
  return value;
}

bool is_collective(const BesideTime& time) { return time.what != "copy"; }

/// Returns the share of a GPU's processors that is left; a CPU's core is not shared with the
/// threads that move bytes.
double left_by_processors(const BesideTime& time, int processors) {
  return is_collective(time) && processors > 1
             ? std::max(0.0, 1 - static_cast<double>(time.channels) / processors)
             : 1;
}

/// Returns the share of its rate alone that the memory leaves to a kernel beside `time`.
double left_by_memory(const BesideTime& time, double bandwidth) {
  if (time.memory_share <= 0) return 1;
  const double left = std::max(0.0, 1 - 2 * time.bytes_per_s / bandwidth);
  return std::min(1.0, left / time.memory_share);
}

}  // namespace

std::string Steadiness::verdict() const {
  std::vector<std::string> words;
  if (slowdown > drifted || slowdown < 1 / drifted) words.push_back("drift");
  if (last_clock_hz < clock_fell * first_clock_hz) words.push_back("clock");
  if (stolen > stolen_much) words.push_back("stolen");
  if (load > 1) words.push_back("load");
  if (!held.empty()) words.push_back(held);
  return fmt::format("{}", fmt::join(words, "+"));
}

double Conditions::lost_beside(double memory_bandwidth, int processors) const {
  const bool collectives = std::any_of(beside.begin(), beside.end(), is_collective);
  std::vector<double> lost;
  for (const BesideTime& time : beside) {
    if (!time.kernel.starts_with("gemm") || is_collective(time) != collectives) continue;
    const double left =
        std::min(left_by_memory(time, memory_bandwidth), left_by_processors(time, processors));
    if (left > 0) lost.push_back(std::clamp(1 - 1 / time.slowdown() / left, 0.0, 0.9));
  }
  if (lost.empty()) return 0;
  std::nth_element(lost.begin(), lost.begin() + std::ssize(lost) / 2, lost.end());
  return lost[lost.size() / 2];
}

Conditions read_conditions(const Value& value) {
  const Fields at(value, "conditions",
                  {"version", "launch", "first_allocation", "next_allocation", "beside", "cache",
                   "steadiness", "ranks"});
  const Value& version = at.at("version");
  if (config::as_int(version, 1, 1 << 30) > conditions_version)
    version.fail(fmt::format("conditions of version {} are newer than this program, which reads {}",
                             version.text, conditions_version));
  Conditions all{.launch_s = seconds_at(at, "launch"),
                 .first_allocation_s = seconds_at(at, "first_allocation"),
                 .next_allocation_s = seconds_at(at, "next_allocation")};
  for (const Value& item : list_at(at, "beside")) all.beside.push_back(read_beside(item));
  for (const Value& item : list_at(at, "cache")) {
    const Fields time(item, "cache", {"kernel", "hot", "cold"});
    all.cache.push_back(
        {config::as_text(time.at("kernel")), seconds_at(time, "hot"), seconds_at(time, "cold")});
  }
  all.steadiness = read_steadiness(at.at("steadiness"));
  const Value& spread = at.at("ranks");
  const Fields ranks(spread, "ranks", {"count", "mean", "slowest"});
  all.spread = {static_cast<int>(config::as_int(ranks.at("count"), 0, 1 << 24)),
                ranks.real("mean", 1, 0, 1e6), ranks.real("slowest", 1, 0, 1e6)};
  return all;
}

Value to_value(const Conditions& all) {
  Value value;
  value.set("version", config::number(conditions_version));
  value.set("launch", written_time(all.launch_s));
  value.set("first_allocation", written_time(all.first_allocation_s));
  value.set("next_allocation", written_time(all.next_allocation_s));
  Value beside{.kind = Value::Kind::list}, cache = beside;
  for (const BesideTime& time : all.beside) beside.items.push_back(to_value(time));
  for (const CacheTime& time : all.cache) {
    Value& item = cache.items.emplace_back();
    item.set("kernel", scalar(time.kernel));
    item.set("hot", written_time(time.hot_s));
    item.set("cold", written_time(time.cold_s));
  }
  value.set("beside", std::move(beside));
  value.set("cache", std::move(cache));
  value.set("steadiness", to_value(all.steadiness));
  Value ranks;
  ranks.set("count", config::number(all.spread.ranks));
  ranks.set("mean", written_number(all.spread.mean));
  ranks.set("slowest", written_number(all.spread.slowest));
  value.set("ranks", std::move(ranks));
  return value;
}

std::string describe(const std::vector<BesideTime>& beside) {
  std::string text;
  for (const BesideTime& time : beside)
    text += fmt::format("beside {} on {} channel{}: {} takes {:.2f} times as long\n", time.what,
                        time.channels, time.channels == 1 ? "" : "s", time.kernel, time.slowdown());
  return text;
}

std::string describe(const Conditions& all) {
  std::string text = describe(all.beside);
  for (const CacheTime& time : all.cache)
    if (time.hot_s > 0)
      text += fmt::format("operands in no cache: {} takes {:.2f} times as long\n", time.kernel,
                          time.cold_s / time.hot_s);
  if (all.spread.ranks > 1)
    text += fmt::format("of {} cores or devices the slowest takes {:.2f} times the median\n",
                        all.spread.ranks, all.spread.slowest);
  const std::string verdict = all.steadiness.verdict();
  text += verdict.empty() ? "the machine was steady\n"
                          : fmt::format("the machine was not steady: {}\n", verdict);
  return text;
}

}  // namespace pipewright
