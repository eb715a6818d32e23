#include "workload/transformer/transformer_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pipewright {
namespace {

constexpr std::array<std::string_view, 22> keys = {
    "layers",           "hidden",    "heads",          "kv_heads",
    "head_dim",         "ffn",       "gated",          "vocabulary",
    "tied_embeddings",  "positions", "norm",           "bias",
    "dropout",          "encoder",   "parallel_block", "experts",
    "latent",           "window",    "window_every",   "decoder",
    "decoder_sequence", "classes"};

// Wide enough for any model; narrow enough that products of four dimensions stay exact in double.
constexpr int64_t most_layers = 10'000, most_width = 1 << 22, most_vocabulary = 1 << 26;

/// Reads what limits a token to some groups of experts.
void read_groups(const config::Fields& fields, Experts& experts) {
  experts.groups = fields.integer("groups", 1, 1, experts.count);
  experts.active_groups = fields.integer("active_groups", experts.groups, 1, experts.groups);
  if (experts.count % experts.groups != 0)
    fields.at("groups").fail(
        fmt::format("{} experts do not divide into {} groups", experts.count, experts.groups));
  const int64_t open = experts.active_groups * (experts.count / experts.groups);
  if (experts.active > open)
    fields.at("active_groups")
        .fail(fmt::format("{} groups hold {} experts, fewer than the {} that a token passes "
                          "through",
                          experts.active_groups, open, experts.active));
}

Experts read_experts(const config::Value& value, int64_t ffn, int64_t layers) {
  const config::Fields fields(value, "experts",
                              {"count", "active", "shared", "ffn", "every", "dense", "groups",
                               "active_groups", "imbalance", "capacity"});
  fields.at("count");
  Experts experts;
  experts.count = fields.integer("count", 0, 1, most_width);
  experts.active = fields.integer("active", 1, 1, experts.count);
  experts.shared = fields.integer("shared", 0, 0, most_width);
  experts.ffn = fields.integer("ffn", ffn, 1, most_width);
  experts.every = fields.integer("every", 1, 1, layers);
  experts.dense = fields.integer("dense", 0, 0, layers);
  read_groups(fields, experts);
  experts.imbalance = fields.real("imbalance", 1, 1, 1e6);
  experts.capacity = fields.real("capacity", 0, 0.01, 1e6);
  return experts;
}

LatentAttention read_latent(const config::Value& value) {
  const config::Fields fields(value, "latent", {"query", "key_value", "nope", "rope", "value"});
  for (const char* key : {"key_value", "nope", "rope", "value"}) fields.at(key);
  LatentAttention latent;
  latent.query = fields.integer("query", 0, 0, most_width);
  latent.key_value = fields.integer("key_value", 0, 1, most_width);
  latent.nope = fields.integer("nope", 0, 1, most_width);
  latent.rope = fields.integer("rope", 0, 1, most_width);
  latent.value = fields.integer("value", 0, 1, most_width);
  return latent;
}

void read_heads(const config::Fields& fields, TransformerShape& shape) {
  fields.at("heads");
  shape.heads = fields.integer("heads", 0, 1, most_width);
  shape.kv_heads = fields.integer("kv_heads", shape.heads, 1, shape.heads);
  if (shape.heads % shape.kv_heads != 0) {
    fields.at("kv_heads")
        .fail(fmt::format("kv_heads {} must divide heads {}", shape.kv_heads, shape.heads));
  }
  if (!fields.find("head_dim") && shape.hidden % shape.heads != 0) {
    fields.at("heads").fail(fmt::format("heads {} do not divide hidden {}; give head_dim as well",
                                        shape.heads, shape.hidden));
  }
  shape.head_dim =
      fields.integer("head_dim", std::max<int64_t>(shape.hidden / shape.heads, 1), 1, most_width);
}

void read_sizes(const config::Fields& fields, TransformerShape& shape) {
  for (const char* key : {"layers", "hidden", "vocabulary"}) fields.at(key);
  shape.layers = fields.integer("layers", 0, 1, most_layers);
  shape.hidden = fields.integer("hidden", 0, 1, most_width);
  shape.vocabulary = fields.integer("vocabulary", 0, 1, most_vocabulary);
  shape.ffn = fields.integer("ffn", std::min(4 * shape.hidden, most_width), 1, most_width);
  shape.decoder = fields.integer("decoder", 0, 1, most_layers);
  shape.decoder_sequence = fields.integer("decoder_sequence", 0, 1, INT64_C(1) << 40);
  shape.classes = fields.integer("classes", 0, 1, most_vocabulary);
  shape.window = fields.integer("window", 0, 0, INT64_C(1) << 40);
  shape.window_every = fields.integer("window_every", 1, 1, most_layers);
}

void read_kinds(const config::Fields& fields, TransformerShape& shape) {
  shape.gated = fields.boolean("gated", false);
  shape.tied_embeddings = fields.boolean("tied_embeddings", true);
  shape.bias = fields.boolean("bias", true);
  shape.encoder = fields.boolean("encoder", false);
  shape.parallel_block = fields.boolean("parallel_block", false);
  shape.dropout = fields.boolean("dropout", shape.bias);
  if (const config::Value* value = fields.find("positions")) {
    shape.positions =
        static_cast<Positions>(config::as_choice(*value, {"learned", "rope", "alibi", "none"}));
  }
  if (const config::Value* value = fields.find("norm")) {
    shape.norm = static_cast<Norm>(config::as_choice(*value, {"layernorm", "rmsnorm"}));
  }
}

}  // namespace

bool TransformerShape::has_experts(int64_t block) const {
  if (!experts || block < experts->dense) return false;
  return (block - experts->dense + 1) % experts->every == 0;
}

int64_t TransformerShape::reach(int64_t block, int64_t sequence) const {
  const bool windowed = window > 0 && block % window_every == 0;
  return windowed ? std::min(window, sequence) : sequence;
}

namespace {

void check_decoder(const config::Fields& fields, const TransformerShape& shape) {
  if (const config::Value* tokens = fields.find("decoder_sequence"); tokens && shape.decoder == 0)
    tokens->fail("decoder_sequence is of a model with the key 'decoder'");
  if (shape.decoder == 0) return;
  for (const char* key : {"encoder", "experts", "latent", "window", "parallel_block"})
    if (const config::Value* value = fields.find(key); value && value->text != "false")
      value->fail(fmt::format("'{}' means nothing beside 'decoder'", key));
}

}  // namespace

std::span<const std::string_view> transformer_keys() { return keys; }

TransformerShape read_transformer(const config::Value& value) {
  const config::Fields fields(value, "transformer", {keys.begin(), keys.end()});
  TransformerShape shape;
  read_sizes(fields, shape);
  read_heads(fields, shape);
  read_kinds(fields, shape);
  if (const config::Value* experts = fields.find("experts"))
    shape.experts = read_experts(*experts, shape.ffn, shape.layers);
  if (const config::Value* latent = fields.find("latent")) shape.latent = read_latent(*latent);
  check_decoder(fields, shape);
  return shape;
}

}  // namespace pipewright
