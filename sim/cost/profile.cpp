#include "cost/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

std::vector<HeldOutError> read_held_out(const Fields& fields) {
  std::vector<HeldOutError> all;
  const Value& list = fields.at("held_out");
  if (!list.is_list()) list.fail("held_out is a list of {points, count, median, p90, p95}");
  for (const Value& item : list.items) {
    const Fields held(item, "held_out", {"points", "count", "median", "p90", "p95"});
    const auto error = [&](const char* key) { return config::as_fraction(held.at(key), 0, 100); };
    all.push_back({config::as_text(held.at("points")),
                   config::as_int(held.at("count"), 0, int64_t{1} << 40), error("median"),
                   error("p90"), error("p95")});
  }
  return all;
}

/// The physics need the device's peak and its processors.
void require(const Value& at, const Device& device, DType dtype) {
  if (!device.peak_at(dtype) || device.processors == 0)
    at.fail(fmt::format("device '{}' needs 'processors' and a peak for {} to be calibrated",
                        device.name, name_of(dtype)));
}

/// The points of one kernel and type; fails at `at` where there are none.
PointTable take_points(const Value& at, const std::vector<PointTable>& tables,
                       const PointKeys& keys, DType dtype) {
  for (const PointTable& table : tables)
    if (table.keys == &keys && table.dtype == dtype && table.count() > 0) return table;
  at.fail(fmt::format("the profile's points have none of {} in {}", keys.kernel, name_of(dtype)));
}

DType read_dtype(const Fields& fields) {
  const Value& value = fields.at("dtype");
  const std::optional<DType> dtype = dtype_named(config::as_text(value, "a type such as bf16"));
  if (!dtype) value.fail(fmt::format("'{}' must be a type such as bf16", value.text));
  return *dtype;
}

double positive(const Fields& fields, const char* key) {
  return config::as_number(fields.at(key), 1e-9, 1e9);
}

GemmProfile read_gemm(const Value& value, const std::vector<PointTable>& tables,
                      const Device& device) {
  const Fields fields(value, "gemm",
                      {"dtype", "rate", "launch", "memory", "intensity", "epilogue", "split",
                       "quantisation", "prologue", "cast_bytes", "held_out"});
  require(value, device, read_dtype(fields));
  GemmConstants constants;
  constants.rate = positive(fields, "rate");
  constants.launch_s = config::as_seconds(fields.at("launch"));
  TileConstants& tiles = constants.tiles;
  tiles.memory_fraction = positive(fields, "memory");
  tiles.intensity = positive(fields, "intensity");
  tiles.epilogue = config::as_number(fields.at("epilogue"), 0, 1e9);
  tiles.split_s = config::as_seconds(fields.at("split"));
  tiles.quantisation = config::as_number(fields.at("quantisation"), 0, 1);
  constants.cast_bytes = fields.real("cast_bytes", 0, 0, 1000);
  tiles.prologue_s = config::as_seconds(fields.at("prologue"));
  return {
      MeasuredGemm(constants, device, take_points(value, tables, gemm_keys, read_dtype(fields))),
      read_held_out(fields)};
}

AttentionProfile read_attention(const Value& value, const std::vector<PointTable>& tables,
                                const Device& device) {
  const Fields fields(
      value, "attention",
      {"dtype", "rate", "softmax", "launch", "longest", "tail", "memory", "held_out"});
  require(value, device, read_dtype(fields));
  AttentionConstants constants;
  constants.rate = positive(fields, "rate");
  constants.softmax = config::as_number(fields.at("softmax"), 0, 1e9);
  constants.launch_s = config::as_seconds(fields.at("launch"));
  constants.longest = config::as_number(fields.at("longest"), 0, 1e9);
  constants.tail = config::as_number(fields.at("tail"), 0, 1e9);
  constants.memory = positive(fields, "memory");
  return {MeasuredAttention(constants, device,
                            take_points(value, tables, attention_keys, read_dtype(fields))),
          read_held_out(fields)};
}

constexpr double least_steady = 0.05, most_steady = 1;

/// A number, or one a type: {bf16: 0.73}.
void read_steady(const Value& value, Profile& profile) {
  if (!value.is_map()) {
    profile.steady = config::as_number(value, least_steady, most_steady);
    return;
  }
  for (const config::Entry& entry : value.entries) {
    const std::optional<DType> dtype = dtype_named(entry.key);
    if (!dtype) value.fail(fmt::format("'{}' must be a type such as bf16", entry.key));
    profile.steady_by_type[*dtype] = config::as_number(entry.value, least_steady, most_steady);
  }
}

StreamProfile read_stream(const Value& value) {
  const Fields fields(
      value, "streams",
      {"kernel", "pass", "latency", "bandwidth", "cached", "cache", "largest", "held_out"});
  const Value& kernel = fields.at("kernel");
  const std::optional<Kernel> kind = stream_named(config::as_text(kernel, "a kind of kernel"));
  if (!kind)
    kernel.fail(fmt::format("'{}' must be norm, elementwise, optimizer or memcpy", kernel.text));
  StreamProfile stream{.kernel = *kind};
  stream.gradient = config::as_choice(fields.at("pass"), {"forward", "gradient"}) == 1;
  stream.constants.latency_s = config::as_seconds(fields.at("latency"));
  const auto rate = [&](const char* key) {
    const double bytes_per_s = config::as_bandwidth(fields.at(key)).bytes_per_s;
    if (bytes_per_s <= 0) fields.at(key).fail(fmt::format("{} must be more than 0", key));
    return bytes_per_s;
  };
  stream.constants.bytes_per_s = rate("bandwidth");
  if (fields.find("cache")) {
    stream.constants.cache_bytes = static_cast<double>(config::as_bytes(fields.at("cache")).count);
    stream.constants.cached_per_s = rate("cached");
  }
  stream.most_bytes = static_cast<double>(config::as_bytes(fields.at("largest")).count);
  stream.held_out = read_held_out(fields);
  return stream;
}

FusedAttentionProfile read_fused_attention(const Value& value) {
  const Fields fields(value, "fused_attention",
                      {"pass", "rate", "softmax", "edge", "tail", "bytes", "wide", "steady",
                       "longest", "held_out"});
  FusedAttentionProfile fused;
  fused.gradient = config::as_choice(fields.at("pass"), {"forward", "gradient"}) == 1;
  FusedAttentionConstants& c = fused.constants;
  c.rate = config::as_flop_rate(fields.at("rate")).flops_per_s;
  if (c.rate <= 0) fields.at("rate").fail("rate must be more than 0");
  c.softmax = config::as_number(fields.at("softmax"), 0, 1e9);
  c.edge = config::as_number(fields.at("edge"), 0, 1e9);
  c.tail = config::as_number(fields.at("tail"), 0, 1e9);
  c.bytes = fields.real("bytes", 0, 0, 1e9);
  c.wide = fields.real("wide", 1, 0.05, 20);
  c.steady = fields.real("steady", 1, least_steady, most_steady);
  fused.most_tokens = config::as_number(fields.at("longest"), 1, 1e9);
  fused.held_out = read_held_out(fields);
  return fused;
}

void read_training(const Value& value, Profile& profile) {
  const Fields at(value, "training",
                  {"steady", "attention_steady", "attention_forward", "attention_backward",
                   "attention_wide", "source"});
  AttentionRates& attention = profile.attention_rates;
  if (const Value* steady = at.find("steady")) read_steady(*steady, profile);
  if (at.find("attention_steady"))
    attention.steady = at.real("attention_steady", 1, least_steady, most_steady);
  attention.forward = at.real("attention_forward", 1, 0.05, 20);
  attention.backward = at.real("attention_backward", 1, 0.05, 20);
  if (at.find("attention_wide")) attention.wide = at.real("attention_wide", 1, 0.05, 20);
}

/// Returns what `read` makes of each item of the list at `key`, which has one for each of `what`;
/// nothing where there is no such key.
template <class Read>
auto read_list(const Fields& fields, const char* key, const char* what, Read read)
    -> std::vector<decltype(read(std::declval<const Value&>()))> {
  std::vector<decltype(read(std::declval<const Value&>()))> all;
  const Value* list = fields.find(key);
  if (!list) return all;
  if (!list->is_list()) list->fail(fmt::format("{} is a list, one entry {}", key, what));
  for (const Value& item : list->items) all.push_back(read(item));
  return all;
}

void require_schema(const Fields& fields) {
  const Value& schema = fields.at("schema");
  const std::string& text = config::as_text(schema, "a schema");
  if (text == profile_schema) return;
  constexpr std::string_view family = "pipewright.profile/";
  schema.fail(
      text.starts_with(family)
          ? fmt::format("'{}' is of another version; this one reads {}", text, profile_schema)
          : fmt::format("'{}' must be {}", text, profile_schema));
}

std::string text_or_nothing(const Fields& fields, const char* key) { return fields.text(key, ""); }

}  // namespace

const GemmProfile* Profile::products(DType dtype) const {
  const DType measured = dtype == DType::fp16 ? DType::bf16 : dtype;
  for (const GemmProfile& family : gemm)
    if (family.model.dtype() == measured) return &family;
  return nullptr;
}

const FusedAttentionProfile* Profile::fused(const Work& work) const {
  const bool gradient = work.direction != Direction::forward;
  for (const FusedAttentionProfile& each : fused_attention)
    if (each.gradient == gradient) return &each;
  return nullptr;
}

const StreamProfile* Profile::stream(const Work& work) const {
  const bool gradient = work.direction != Direction::forward;
  const StreamProfile* other = nullptr;
  for (const StreamProfile& stream : streams) {
    if (stream.kernel != work.kernel) continue;
    if (stream.gradient == gradient) return &stream;
    other = &stream;
  }
  return other;
}

double Profile::steady_of(DType dtype) const {
  const auto found = steady_by_type.find(dtype == DType::fp16 ? DType::bf16 : dtype);
  return found == steady_by_type.end() ? steady : found->second;
}

Profile read_profile(const Value& document, const config::Catalogue& catalogue) {
  const Fields fields(
      document, "a profile",
      {"schema", "name", "description", "origin", "verified", "device", "measured_on", "host",
       "date", "software", "source", "points", "training", "gemm", "attention", "fused_attention",
       "streams", "collectives", "conditions"});
  require_schema(fields);
  Profile profile;
  profile.measured = config::as_choice(fields.at("origin"), {"measured", "datasheet"}) == 0;
  const Value* measured_on = fields.find("measured_on");
  profile.device = read_device(measured_on ? *measured_on : fields.at("device"), catalogue);
  profile.name = config::as_text(fields.at("device"), "a device");
  profile.description = text_or_nothing(fields, "description");
  profile.date = text_or_nothing(fields, "date");
  profile.software = text_or_nothing(fields, "software");
  profile.source = text_or_nothing(fields, "source");
  if (const Value* training = fields.find("training")) read_training(*training, profile);
  if (const Value* conditions = fields.find("conditions"))
    profile.conditions = read_conditions(*conditions);
  profile.fused_attention = read_list(fields, "fused_attention", "a pass", read_fused_attention);
  profile.streams = read_list(fields, "streams", "a kind and pass", read_stream);
  if (!fields.find("gemm") && !fields.find("attention")) return profile;
  const config::Catalogue::File points = catalogue.read_beside(fields.at("points"));
  const std::vector<PointTable> tables = parse_points(points.text, points.mark);
  profile.gemm = read_list(fields, "gemm", "a type", [&](const Value& item) {
    return read_gemm(item, tables, profile.device);
  });
  if (const Value* attention = fields.find("attention"))
    profile.attention = read_attention(*attention, tables, profile.device);
  return profile;
}

std::optional<Profile> profile_of(const Device& device, const config::Catalogue& catalogue) {
  const std::vector<std::string> names = catalogue.names("profiles");
  if (!std::binary_search(names.begin(), names.end(), device.name)) return std::nullopt;
  Profile profile =
      read_profile(catalogue.load("profiles", config::scalar(device.name)), catalogue);
  profile.name = device.name;
  return profile;
}

}  // namespace pipewright
