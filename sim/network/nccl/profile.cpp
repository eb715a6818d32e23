#include "network/nccl/profile.hpp"

#include <fmt/format.h>

#include "config/catalogue.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

constexpr std::string_view protocol_keys[] = {"ll", "ll128", "simple"};

double time_s(const Fields& fields, const char* key) {
  return in_seconds(config::as_time(fields.at(key)));
}
double rate(const Fields& fields, const char* key) {
  const Value& value = fields.at(key);
  const double bytes_per_s = config::as_bandwidth(value).bytes_per_s;
  if (!(bytes_per_s > 0)) value.fail("a bandwidth must be above zero");
  return bytes_per_s;
}

RingTimes read_ring(const Value& value) {
  const Fields fields(value, "a protocol of the ring",
                      {"base", "hop", "channel", "first", "one_byte", "ends"});
  RingTimes ring;
  ring.base_s = time_s(fields, "base");
  ring.hop_s = time_s(fields, "hop");
  ring.channel_bandwidth = rate(fields, "channel");
  if (fields.find("first")) ring.first_bandwidth = rate(fields, "first");
  ring.one_byte = fields.real("one_byte", 0, 0, 10);
  const Fields ends(fields.at("ends"), "ends", {"all_gather", "reduce_scatter", "all_reduce"});
  ring.ends.all_gather = ends.real("all_gather", 0, 0, 100);
  ring.ends.reduce_scatter = ends.real("reduce_scatter", 0, 0, 100);
  ring.ends.all_reduce = ends.real("all_reduce", 0, 0, 100);
  return ring;
}

SwitchTimes read_switch(const Value& value) {
  const Fields fields(value, "nvls", {"base", "early", "late", "bandwidth"});
  return {.base_s = time_s(fields, "base"),
          .early_bandwidth = rate(fields, "early"),
          .late_s = time_s(fields, "late"),
          .bandwidth = rate(fields, "bandwidth")};
}

PairTimes read_pairs(const Value& value) {
  const Fields fields(value, "pairs",
                      {"base", "doubling", "first", "early", "late", "bandwidth", "own"});
  return {.base_s = time_s(fields, "base"),
          .doubling_s = time_s(fields, "doubling"),
          .first_bandwidth = rate(fields, "first"),
          .early_bandwidth = rate(fields, "early"),
          .late_s = time_s(fields, "late"),
          .bandwidth = rate(fields, "bandwidth"),
          .own = fields.real("own", 0, 0, 100)};
}

HeldOut read_held_out(const Value& value) {
  const Fields fields(value, "held_out", {"points", "median_abs_error", "p95_abs_error"});
  return {.points = static_cast<int>(fields.integer("points", 0, 0, 1'000'000)),
          .median_abs_error = fields.real("median_abs_error", 0, 0, 100),
          .p95_abs_error = fields.real("p95_abs_error", 0, 0, 100)};
}

Value text_of_time(double s) { return config::scalar(fmt::format("{:.4g} us", s * 1e6)); }
Value text_of_rate(double r) { return config::scalar(fmt::format("{:.5g} GB/s", r * 1e-9)); }
Value text_of(double x) { return config::scalar(fmt::format("{:.4g}", x)); }

Value ring_value(const RingTimes& ring) {
  Value map;
  map.set("base", text_of_time(ring.base_s));
  map.set("hop", text_of_time(ring.hop_s));
  if (ring.first_bandwidth > 0) map.set("first", text_of_rate(ring.first_bandwidth));
  map.set("channel", text_of_rate(ring.channel_bandwidth));
  map.set("one_byte", text_of(ring.one_byte));
  Value ends;
  ends.set("all_gather", text_of(ring.ends.all_gather));
  ends.set("reduce_scatter", text_of(ring.ends.reduce_scatter));
  ends.set("all_reduce", text_of(ring.ends.all_reduce));
  map.set("ends", std::move(ends));
  return map;
}

Value switch_value(const SwitchTimes& times) {
  Value map;
  map.set("base", text_of_time(times.base_s));
  map.set("early", text_of_rate(times.early_bandwidth));
  map.set("late", text_of_time(times.late_s));
  map.set("bandwidth", text_of_rate(times.bandwidth));
  return map;
}

Value pairs_value(const PairTimes& pairs) {
  Value map;
  map.set("base", text_of_time(pairs.base_s));
  map.set("doubling", text_of_time(pairs.doubling_s));
  map.set("first", text_of_rate(pairs.first_bandwidth));
  map.set("early", text_of_rate(pairs.early_bandwidth));
  map.set("late", text_of_time(pairs.late_s));
  map.set("bandwidth", text_of_rate(pairs.bandwidth));
  map.set("own", text_of(pairs.own));
  return map;
}

CollectiveProfile read(const Value& value, const config::Catalogue& catalogue) {
  const Fields fields(value, "collectives",
                      {"software", "tuning", "link_bandwidth", "ring", "nvls", "pairs", "held_out",
                       "least", "most", "points"});
  CollectiveProfile profile;
  profile.software = fields.text("software", "");
  profile.points = fields.text("points", "");
  profile.tuning = read_nccl_tuning(fields.at("tuning"), catalogue);
  profile.link_bandwidth = rate(fields, "link_bandwidth");
  const Fields ring(fields.at("ring"), "ring", {"ll", "ll128", "simple"});
  for (size_t p = 0; p < nccl_protocols; ++p)
    profile.ring[p] = read_ring(ring.at(protocol_keys[p]));
  if (const Value* nvls = fields.find("nvls")) profile.in_switch = read_switch(*nvls);
  profile.pairs = read_pairs(fields.at("pairs"));
  if (const Value* held = fields.find("held_out")) profile.held_out = read_held_out(*held);
  profile.least_bytes = fields.bytes("least", {}).count;
  profile.most_bytes = fields.bytes("most", {INT64_MAX}).count;
  return profile;
}

}  // namespace

Value to_value(const HeldOut& held_out) {
  Value map;
  map.set("points", config::number(held_out.points));
  map.set("median_abs_error", text_of(held_out.median_abs_error));
  map.set("p95_abs_error", text_of(held_out.p95_abs_error));
  return map;
}

std::optional<CollectiveProfile> read_collective_profile(const Value& value,
                                                         const config::Catalogue& catalogue) {
  const Value entry = catalogue.resolve("profiles", value);
  if (!entry.is_map()) entry.fail("a profile must be a map");
  const Value* collectives = entry.find("collectives");
  const Value* origin = entry.find("origin");
  if (!collectives) return std::nullopt;
  CollectiveProfile profile = read(*collectives, catalogue);
  profile.name = config::name_of(value).value_or("profile");
  profile.measured = origin && config::as_choice(*origin, {"measured", "datasheet"}) == 0;
  return profile;
}

Value to_value(const CollectiveProfile& profile) {
  Value map;
  if (!profile.software.empty()) map.set("software", config::scalar(profile.software));
  map.set("tuning", config::scalar(profile.tuning.name));
  map.set("link_bandwidth", text_of_rate(profile.link_bandwidth));
  Value ring;
  for (size_t p = 0; p < nccl_protocols; ++p)
    ring.set(protocol_keys[p], ring_value(profile.ring[p]));
  map.set("ring", std::move(ring));
  if (profile.in_switch) map.set("nvls", switch_value(*profile.in_switch));
  map.set("pairs", pairs_value(profile.pairs));
  if (profile.held_out) map.set("held_out", to_value(*profile.held_out));
  map.set("least", config::number(profile.least_bytes));
  map.set("most", config::number(profile.most_bytes));
  if (!profile.points.empty()) map.set("points", config::scalar(profile.points));
  return map;
}

}  // namespace pipewright
