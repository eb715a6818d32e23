// What configurations of families with Mamba 1 say beyond the common names.
#include <fmt/format.h>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr Name mamba_names[] = {
    {"state", {"state_size"}},
    {"convolution", {"conv_kernel"}},
    {"bias", {"use_bias"}},
    {"convolution_bias", {"use_conv_bias"}},
};

constexpr Name jamba_names[] = {
    {"state", {"mamba_d_state"}},
    {"convolution", {"mamba_d_conv"}},
    {"bias", {"mamba_proj_bias"}},
    {"convolution_bias", {"mamba_conv_bias"}},
};

/// The rank of the step: what a key says, a sixteenth of the width where it says auto.
int64_t rank_of(const Value& config, std::string_view key) {
  const Value* given = find_given(config, key);
  if (!given || given->text == "auto") return (count_of(config, "hidden_size", 0) + 15) / 16;
  return count_of(config, key, 0);
}

void set_scan(const Value& config, std::string_view norm, Value& transformer) {
  Value scan = translate(config, mamba_names, {});
  const int64_t inner = count_of(config, "expand", 2) * count_of(config, "hidden_size", 0);
  set_number(scan, "inner", count_of(config, "intermediate_size", inner));
  set_number(scan, "rank", rank_of(config, "time_step_rank"));
  set(scan, "norm", norm);
  for (const char* key : {"heads", "kv_heads", "head_dim", "ffn"}) erase(transformer, key);
  transformer.set("selective_scan", std::move(scan));
  set(transformer, "mixers", "selective-scan");
  set(transformer, "feeds", "none");
}

/// Tells of each of `layers` blocks whether it is the `offset`-th of a period.
std::vector<bool> in_period(const Value& config, const char* period, const char* offset,
                            int64_t layers) {
  const int64_t every = count_of(config, period, 1), first = count_of(config, offset, 0);
  if (every < 1 || first >= every)
    find_given(config, offset)
        ->fail(fmt::format("{} must be less than {} {}", offset, period, every));
  std::vector<bool> blocks;
  for (int64_t block = 0; block < layers; ++block) blocks.push_back(block % every == first);
  return blocks;
}

}  // namespace

void extend_mamba(const Value& config, Value& transformer) {
  set_scan(config, "none", transformer);
}

/// Step, B and C are normed without gains.
void extend_falcon_mamba(const Value& config, Value& transformer) {
  set_scan(config, "unit", transformer);
}

/// Attention once in a period, experts once in another.
void extend_jamba(const Value& config, Value& transformer) {
  const int64_t layers = count_of(config, "num_hidden_layers", 0);
  std::vector<std::string_view> mixers;
  for (const bool attends : in_period(config, "attn_layer_period", "attn_layer_offset", layers))
    mixers.push_back(attends ? "full" : "selective-scan");
  set_mixers(transformer, mixers);
  Value scan = translate(config, jamba_names, {});
  set_number(scan, "inner",
             count_of(config, "mamba_expand", 2) * count_of(config, "hidden_size", 0));
  set_number(scan, "rank", rank_of(config, "mamba_dt_rank"));
  set(scan, "norm", "gains");
  transformer.set("selective_scan", std::move(scan));
  if (count_of(config, "num_experts", 16) == 1) return erase(transformer, "experts");
  set_feeds(transformer, in_period(config, "expert_layer_period", "expert_layer_offset", layers));
}

}  // namespace pipewright::hugging_face
