#include "convert/job/transformer_map.hpp"

#include <gtest/gtest.h>

#include <string>

#include "config/emit.hpp"

namespace pipewright::test {
namespace {

TEST(TransformerMap, reads_back) {
  TransformerShape shape;
  shape.layers = 3;
  shape.hidden = 64;
  shape.attention.heads = 4;
  shape.attention.kv_heads = 2;
  shape.attention.head_dim = 32;
  shape.ffn = 100;
  shape.ends.vocabulary = 7;
  shape.experts = Experts{.count = 4, .active = 2, .ffn = 10, .groups = 2, .active_groups = 1};
  shape.positions = Positions::rope;
  const TransformerShape again = read_transformer(job::transformer_map(shape));
  EXPECT_EQ(again.attention.head_dim, 32);
  EXPECT_EQ(again.attention.kv_heads, 2);
  EXPECT_EQ(again.experts->active, 2);
  EXPECT_EQ(again.experts->groups, 2);
  EXPECT_EQ(again.experts->active_groups, 1);
  EXPECT_EQ(again.positions, Positions::rope);
}

// What is rare is written too: a map of all of it, read and written again, is the same text.
TEST(TransformerMap, has_every_part) {
  const config::Value given = config::parse(
      "{layers: 4, hidden: 64, ffn: 128, vocabulary: 100, heads: 4, kv_heads: 2, head_dim: 8, "
      "latent: {query: 8, key_value: 8, nope: 4, rope: 4, value: 8}, "
      "attention: {bias: inputs, sinks: true, soft_cap: true, local_positions: true, "
      "indexer: {heads: 2, head_dim: 4, keys: 16, blocks: [own, shared]}}, window: 8, norms: both, "
      "logit_cap: true, "
      "predict: 1, mixers: [full, state-space, gated-delta, none], feeds: [dense, none, experts, "
      "dense], state_space: {heads: 4, head_dim: 8, state: 16}, gated_delta: {key_heads: 2, "
      "value_heads: 4, key_dim: 8, value_dim: 8}, experts: {count: 8, active: 2, shared: 1, "
      "shared_ffn: 24, shared_gate: true, bias: true, latent: 32}}",
      "model.yaml");
  const config::Value map = job::transformer_map(read_transformer(given));
  EXPECT_EQ(config::to_yaml(job::transformer_map(read_transformer(map))), config::to_yaml(map));
  for (const config::Entry& entry : given.entries) EXPECT_TRUE(map.find(entry.key)) << entry.key;
}

/// A map, and what is read of it and written again.
void expect_whole(const std::string& yaml) {
  const config::Value given = config::parse(yaml, "model.yaml");
  const config::Value map = job::transformer_map(read_transformer(given));
  EXPECT_EQ(config::to_yaml(job::transformer_map(read_transformer(map))), config::to_yaml(map));
  for (const config::Entry& entry : given.entries) EXPECT_TRUE(map.find(entry.key)) << entry.key;
}

TEST(TransformerMap, has_what_models_of_2026_have) {
  expect_whole(
      "{layers: 4, hidden: 64, vocabulary: 100, heads: 4, kv_heads: 2, block_residuals: 2, "
      "mixers: [short-convolution, full-and-state-space, lightning, gated-delta], "
      "short_convolution: {taps: 4, bias: true}, lightning: {groups: 2, head_norms: true}, "
      "state_space: {heads: 4, head_dim: 8, state: 16, norm: false}, gated_delta: {key_heads: 2, "
      "value_heads: 4, key_dim: 8, value_dim: 8, channel_decay: true, gate_rank: 4}, attention: "
      "{head_gate: true, indexer: {heads: 2, head_dim: 4, keys: 16, block: 8, blocks: [none, "
      "own]}}, experts: {count: 8, active: 2, zero: 4, latent: 32, latent_norm: true}}");
}

TEST(TransformerMap, has_gated_recurrences) {
  expect_whole(
      "{layers: 3, hidden: 64, vocabulary: 100, heads: 4, window: 8, attention: {bias: output}, "
      "mixers: [gated-recurrence, sliding], gated_recurrence: {width: 96, blocks: 4, "
      "convolution: 3}}");
}

TEST(TransformerMap, has_sound) {
  expect_whole(
      "{layers: 2, hidden: 64, vocabulary: 100, heads: 4, decoder: 2, decoder_sequence: 8, sound: "
      "{bins: 80}}");
}

TEST(TransformerMap, has_time_mixing) {
  expect_whole(
      "{layers: 4, hidden: 64, vocabulary: 100, mixers: [time-mixing], time_mixing: {heads: 4, "
      "decay_rank: 8, rate_rank: 8, value_rank: 4, gate_rank: 16, chunk: 32}}");
}

TEST(TransformerMap, has_alternating_streams_and_widths_by_block) {
  expect_whole(
      "{layers: 4, hidden: 64, vocabulary: 100, heads: 4, ffn: [64, 128], streams: 4, "
      "alternating: true, laurel: 8, block_inputs: 16}");
}

TEST(TransformerMap, has_towers_scans_and_heads_by_kind) {
  expect_whole(
      "{layers: 4, hidden: 64, vocabulary: 100, heads: 4, head_dim: 8, attention: {norm: head, "
      "value_norm: true, value_dim: 4, full: {heads: 8, kv_heads: 2, head_dim: 16, "
      "values_are_keys: true}}, window: 8, mixers: [full, sliding, selective-scan], "
      "selective_scan: {inner: 128, state: 16, rank: 4, norm: gains}, vision: {layers: 2, hidden: "
      "32, heads: 4, window: 4, mixers: [chunked, full], patches: {side: 4, frames: 2, bias: "
      "true, positions: 9, class_token: true, norm: true, image: 8}, projector: {merge: 2, pools: "
      "true, norm: rmsnorm, norms_merged: true, last_norm: true, widths: [48], bias: true, deep: "
      "3}}}");
}

}  // namespace
}  // namespace pipewright::test
