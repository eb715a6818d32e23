#include "workload/transformer/block_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "workload/transformer/shape_limits.hpp"

namespace pipewright {
namespace {

constexpr std::array<std::string_view, 14> mixer_names = {"full",
                                                          "sliding",
                                                          "chunked",
                                                          "lightning",
                                                          "gated-delta",
                                                          "state-space",
                                                          "selective-scan",
                                                          "few-compressed",
                                                          "many-compressed",
                                                          "short-convolution",
                                                          "gated-recurrence",
                                                          "time-mixing",
                                                          "full-and-state-space",
                                                          "none"};
constexpr std::array<std::string_view, 3> feed_names = {"dense", "experts", "none"};

/// Reads a list of kinds; one by itself stands for a list of it.
template <class Kind>
std::vector<Kind> read_list(const config::Value& value, std::span<const std::string_view> names) {
  if (value.is_scalar()) return {static_cast<Kind>(config::as_choice(value, names))};
  if (!value.is_list() || value.items.empty())
    value.fail(fmt::format("must be a list of kinds, one for each block, such as [{}, {}]",
                           names[0], names[1]));
  std::vector<Kind> kinds;
  for (const config::Value& item : value.items)
    kinds.push_back(static_cast<Kind>(config::as_choice(item, names)));
  return kinds;
}

StateSpace read_state_space(const config::Value& value) {
  const config::Fields fields(value, "state_space",
                              {"heads", "head_dim", "state", "groups", "convolution", "chunk",
                               "bias", "convolution_bias", "norm"});
  for (const char* key : {"heads", "head_dim", "state"}) fields.at(key);
  StateSpace s;
  s.heads = fields.integer("heads", 0, 1, most_width);
  s.head_dim = fields.integer("head_dim", 0, 1, most_width);
  s.state = fields.integer("state", 0, 1, most_width);
  s.groups = fields.integer("groups", 1, 1, s.heads);
  if (s.heads % s.groups != 0)
    fields.at("groups").fail(fmt::format("groups {} must divide heads {}", s.groups, s.heads));
  s.convolution = fields.integer("convolution", s.convolution, 1, most_width);
  s.chunk = fields.integer("chunk", s.chunk, 1, most_width);
  s.bias = fields.boolean("bias", s.bias);
  s.convolution_bias = fields.boolean("convolution_bias", s.convolution_bias);
  s.norm = fields.boolean("norm", s.norm);
  return s;
}

ShortConvolution read_short_convolution(const config::Value& value) {
  const config::Fields fields(value, "short_convolution", {"taps", "bias"});
  ShortConvolution s;
  s.taps = fields.integer("taps", s.taps, 1, most_width);
  s.bias = fields.boolean("bias", s.bias);
  return s;
}

TimeMixing read_time_mixing(const config::Value& value) {
  const config::Fields fields(
      value, "time_mixing",
      {"heads", "decay_rank", "rate_rank", "value_rank", "gate_rank", "chunk"});
  for (const char* key : {"heads", "decay_rank", "rate_rank", "value_rank", "gate_rank"})
    fields.at(key);
  TimeMixing t;
  t.heads = fields.integer("heads", 0, 1, most_width);
  t.decay_rank = fields.integer("decay_rank", 0, 1, most_width);
  t.rate_rank = fields.integer("rate_rank", 0, 1, most_width);
  t.value_rank = fields.integer("value_rank", 0, 1, most_width);
  t.gate_rank = fields.integer("gate_rank", 0, 1, most_width);
  t.chunk = fields.integer("chunk", t.chunk, 1, most_width);
  return t;
}

GatedRecurrence read_gated_recurrence(const config::Value& value) {
  const config::Fields fields(value, "gated_recurrence", {"width", "blocks", "convolution"});
  for (const char* key : {"width", "blocks"}) fields.at(key);
  GatedRecurrence r;
  r.width = fields.integer("width", 0, 1, most_width);
  r.blocks = fields.integer("blocks", 0, 1, most_width);
  if (r.width % r.blocks != 0)
    fields.at("blocks").fail(fmt::format("blocks {} must divide width {}", r.blocks, r.width));
  r.convolution = fields.integer("convolution", r.convolution, 1, most_width);
  return r;
}

Lightning read_lightning(const config::Value& value) {
  const config::Fields fields(value, "lightning", {"groups", "head_norms"});
  Lightning lightning;
  lightning.norm_groups = fields.integer("groups", 1, 1, most_width);
  lightning.head_norms = fields.boolean("head_norms", false);
  return lightning;
}

GatedDelta read_gated_delta(const config::Value& value) {
  const config::Fields fields(value, "gated_delta",
                              {"key_heads", "value_heads", "key_dim", "value_dim", "convolution",
                               "chunk", "rank", "gate_rank", "channel_decay"});
  for (const char* key : {"key_heads", "value_heads", "key_dim", "value_dim"}) fields.at(key);
  GatedDelta d;
  d.key_heads = fields.integer("key_heads", 0, 1, most_width);
  d.value_heads = fields.integer("value_heads", 0, 1, most_width);
  if (d.value_heads % d.key_heads != 0)
    fields.at("key_heads")
        .fail(fmt::format("key_heads {} must divide value_heads {}", d.key_heads, d.value_heads));
  d.key_dim = fields.integer("key_dim", 0, 1, most_width);
  d.value_dim = fields.integer("value_dim", 0, 1, most_width);
  d.convolution = fields.integer("convolution", d.convolution, 1, most_width);
  d.chunk = fields.integer("chunk", d.chunk, 1, most_width);
  d.rank = fields.integer("rank", 0, 0, most_width);
  d.gate_rank = fields.integer("gate_rank", d.rank, 0, most_width);
  d.channel_decay = fields.boolean("channel_decay", d.rank > 0);
  for (const char* key : {"rank", "gate_rank"})
    if (!d.channel_decay && fields.integer(key, 0, 0, most_width) > 0)
      fields.at(key).fail(fmt::format("'{}' is of decays for every channel (channel_decay)", key));
  return d;
}

SelectiveScan read_selective_scan(const config::Value& value) {
  const config::Fields fields(
      value, "selective_scan",
      {"inner", "state", "rank", "convolution", "bias", "convolution_bias", "norm"});
  for (const char* key : {"inner", "state", "rank"}) fields.at(key);
  SelectiveScan s;
  s.inner = fields.integer("inner", 0, 1, most_width);
  s.state = fields.integer("state", 0, 1, most_width);
  s.rank = fields.integer("rank", 0, 1, most_width);
  s.convolution = fields.integer("convolution", s.convolution, 1, most_width);
  s.bias = fields.boolean("bias", s.bias);
  s.convolution_bias = fields.boolean("convolution_bias", s.convolution_bias);
  if (const config::Value* norm = fields.find("norm"))
    s.norm =
        static_cast<SelectiveScan::InputNorm>(config::as_choice(*norm, {"none", "unit", "gains"}));
  return s;
}

/// Refuses a kind whose dimensions nobody gives.
void require(const config::Fields& fields, const BlockKinds& kinds, Mixer mixer, const char* key) {
  if (!kinds.has(mixer) || fields.find(key)) return;
  fields.at("mixers").fail(fmt::format("'{}' needs the key '{}'", name_of(mixer), key));
}

}  // namespace

bool is_attention(Mixer mixer) {
  return sees_all(mixer) || mixer == Mixer::sliding || mixer == Mixer::chunked || compresses(mixer);
}

bool sees_all(Mixer mixer) { return mixer == Mixer::full || mixer == Mixer::full_and_state_space; }

bool compresses(Mixer mixer) {
  return mixer == Mixer::few_compressed || mixer == Mixer::many_compressed;
}

std::string_view name_of(Mixer mixer) { return mixer_names[static_cast<size_t>(mixer)]; }
std::string_view name_of(Feed feed) { return feed_names[static_cast<size_t>(feed)]; }

bool BlockKinds::has(Mixer mixer) const { return std::ranges::find(mixers, mixer) != mixers.end(); }

bool BlockKinds::has_state_space() const {
  return has(Mixer::state_space) || has(Mixer::full_and_state_space);
}

bool BlockKinds::passes_state() const {
  return has(Mixer::lightning) || has(Mixer::gated_delta) || has_state_space() ||
         has(Mixer::selective_scan) || has(Mixer::time_mixing) || has(Mixer::gated_recurrence);
}

BlockKinds read_block_kinds(const config::Fields& fields) {
  BlockKinds kinds;
  if (const config::Value* mixers = fields.find("mixers"))
    kinds.mixers = read_list<Mixer>(*mixers, mixer_names);
  if (const config::Value* feeds = fields.find("feeds"))
    kinds.feeds = read_list<Feed>(*feeds, feed_names);
  if (const config::Value* value = fields.find("state_space"))
    kinds.state_space = read_state_space(*value);
  if (const config::Value* value = fields.find("gated_delta"))
    kinds.gated_delta = read_gated_delta(*value);
  if (const config::Value* value = fields.find("selective_scan"))
    kinds.selective_scan = read_selective_scan(*value);
  if (const config::Value* value = fields.find("short_convolution"))
    kinds.short_convolution = read_short_convolution(*value);
  if (const config::Value* value = fields.find("time_mixing"))
    kinds.time_mixing = read_time_mixing(*value);
  require(fields, kinds, Mixer::time_mixing, "time_mixing");
  if (const config::Value* value = fields.find("gated_recurrence"))
    kinds.gated_recurrence = read_gated_recurrence(*value);
  require(fields, kinds, Mixer::gated_recurrence, "gated_recurrence");
  if (const config::Value* value = fields.find("lightning"))
    kinds.lightning = read_lightning(*value);
  require(fields, kinds, Mixer::state_space, "state_space");
  require(fields, kinds, Mixer::full_and_state_space, "state_space");
  require(fields, kinds, Mixer::selective_scan, "selective_scan");
  require(fields, kinds, Mixer::gated_delta, "gated_delta");
  for (const Mixer mixer :
       {Mixer::sliding, Mixer::chunked, Mixer::few_compressed, Mixer::many_compressed})
    require(fields, kinds, mixer, "window");
  return kinds;
}

}  // namespace pipewright
