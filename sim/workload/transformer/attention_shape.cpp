#include "workload/transformer/attention_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workload/transformer/shape_limits.hpp"

namespace pipewright {
namespace {

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

/// Reads which blocks choose for themselves.
std::vector<Indexer::Choice> read_choices(const config::Value& value) {
  if (!value.is_list() || value.items.empty())
    value.fail("must be a list of own, shared and none, one for each block, such as [own, shared]");
  std::vector<Indexer::Choice> choices;
  for (const config::Value& item : value.items) {
    const auto choice =
        static_cast<Indexer::Choice>(config::as_choice(item, {"own", "shared", "none"}));
    const bool has_other = !choices.empty() && choices.back() != Indexer::Choice::none;
    if (choice == Indexer::Choice::shared && !has_other)
      item.fail(choices.empty() ? "the first block has no other's choice: must be own"
                                : "the block before has no choice: must be own or none");
    choices.push_back(choice);
  }
  return choices;
}

Indexer read_indexer(const config::Value& value) {
  const config::Fields fields(value, "indexer", {"heads", "head_dim", "keys", "block", "blocks"});
  for (const char* key : {"heads", "head_dim", "keys"}) fields.at(key);
  Indexer indexer{.heads = fields.integer("heads", 0, 1, most_width),
                  .head_dim = fields.integer("head_dim", 0, 1, most_width),
                  .keys = fields.integer("keys", 0, 1, most_tokens),
                  .block = fields.integer("block", 0, 0, most_tokens)};
  if (const config::Value* blocks = fields.find("blocks")) indexer.choices = read_choices(*blocks);
  return indexer;
}

Compression read_compression(const config::Value& value) {
  const config::Fields fields(value, "compression", {"few", "many"});
  for (const char* key : {"few", "many"}) fields.at(key);
  return {.few = fields.integer("few", 0, 1, most_tokens),
          .many = fields.integer("many", 0, 1, most_tokens)};
}

LowRankOutput read_output(const config::Value& value, int64_t heads) {
  const config::Fields fields(value, "output", {"rank", "groups"});
  fields.at("rank");
  const LowRankOutput output{.rank = fields.integer("rank", 0, 1, most_width),
                             .groups = fields.integer("groups", 1, 1, heads)};
  if (heads % output.groups != 0)
    fields.at("groups").fail(fmt::format("groups {} must divide heads {}", output.groups, heads));
  return output;
}

/// Reads what attention with compressed keys has beside them.
void read_compressed(const config::Fields& fields, AttentionDimensions& shape) {
  shape.query_rank = fields.integer("query_rank", 0, 1, most_width);
  shape.values_are_keys = fields.boolean("values_are_keys", false);
  if (const config::Value* output = fields.find("output"))
    shape.output = read_output(*output, shape.heads);
  if (const config::Value* compression = fields.find("compression"))
    shape.compression = read_compression(*compression);
  for (const char* key : {"values_are_keys", "output"})
    if (fields.find(key) && !shape.compression)
      fields.at(key).fail(fmt::format("'{}' is of attention with the key 'compression'", key));
  if (shape.query_rank > 0 && !shape.compression && shape.kv_heads != 1)
    fields.at("query_rank")
        .fail(
            "queries are made through a rank where all heads have one key: kv_heads must be 1, "
            "or 'compression' or 'latent' be given");
  if (shape.compression && (shape.query_rank == 0 || !shape.output))
    fields.at("compression").fail("compressed keys go with the keys 'query_rank' and 'output'");
}

void read_heads(const config::Fields& fields, int64_t hidden, AttentionDimensions& shape) {
  fields.at("heads");
  shape.heads = fields.integer("heads", 0, 1, most_width);
  shape.kv_heads = fields.integer("kv_heads", shape.heads, 1, shape.heads);
  if (shape.heads % shape.kv_heads != 0) {
    fields.at("kv_heads")
        .fail(fmt::format("kv_heads {} must divide heads {}", shape.kv_heads, shape.heads));
  }
  const bool has_width = fields.find("head_dim") || fields.find("latent");
  if (!has_width && hidden % shape.heads != 0) {
    fields.at("heads").fail(fmt::format("heads {} do not divide hidden {}; give head_dim as well",
                                        shape.heads, hidden));
  }
  shape.head_dim =
      fields.integer("head_dim", std::max<int64_t>(hidden / shape.heads, 1), 1, most_width);
}

/// Reads the heads of blocks that see all tokens; what is not said is as in the others.
Heads read_full(const config::Value& value, const AttentionDimensions& shape) {
  const config::Fields fields(value, "full",
                              {"heads", "kv_heads", "head_dim", "value_dim", "values_are_keys"});
  Heads heads;
  heads.queries = fields.integer("heads", shape.heads, 1, most_width);
  heads.keys = fields.integer("kv_heads", shape.kv_heads, 1, most_width);
  if (heads.queries % heads.keys != 0)
    value.fail(fmt::format("kv_heads {} must divide heads {}", heads.keys, heads.queries));
  heads.width = fields.integer("head_dim", shape.head_dim, 1, most_width);
  const bool as_wide = shape.value_dim == 0 || fields.find("head_dim");
  heads.value = fields.integer("value_dim", as_wide ? heads.width : shape.value_dim, 1, most_width);
  heads.values_are_keys = fields.boolean("values_are_keys", false);
  if (heads.values_are_keys && heads.value != heads.width)
    fields.at("values_are_keys").fail("values that are keys are as wide as they");
  return heads;
}

/// Reads what chooses keys, whose queries come of a low rank or, by blocks of keys, of the stream.
Indexer checked_indexer(const config::Value& value, const AttentionDimensions& shape) {
  const Indexer indexer = read_indexer(value);
  const bool has_rank = shape.query_rank > 0 || (shape.latent && shape.latent->query > 0);
  if (indexer.block == 0 && !has_rank)
    value.fail("an indexer reads low-rank queries: it needs 'latent' with a 'query'");
  if (indexer.block > 0 && (shape.latent || shape.compression))
    value.fail("an indexer of blocks ('block') stands beside neither 'latent' nor 'compression'");
  return indexer;
}

void read_gates(const config::Fields& fields, AttentionDimensions& shape) {
  shape.gate = fields.boolean("gate", false);
  shape.head_gate = fields.boolean("head_gate", false);
  if (shape.gate && shape.head_gate)
    fields.at("head_gate").fail("'gate' is as wide as the heads: give one of the two");
}

/// Reads the map `attention`, which says what is rare.
void read_rare(const config::Value& value, AttentionDimensions& shape) {
  const config::Fields fields(
      value, "attention",
      {"norm", "value_norm", "bias", "sinks", "gate", "head_gate", "soft_cap", "local_positions",
       "indexer", "value_dim", "full", "query_rank", "values_are_keys", "output", "compression",
       "borrowing"});
  if (const config::Value* norm = fields.find("norm"))
    shape.norm = static_cast<HeadNorm>(config::as_choice(*norm, {"none", "head", "width", "unit"}));
  shape.value_norm = fields.boolean("value_norm", false);
  shape.value_dim = fields.integer("value_dim", 0, 1, most_width);
  if (const config::Value* full = fields.find("full")) {
    shape.full = read_full(*full, shape);
    if (shape.norm == HeadNorm::width)
      full->fail("heads of their own cannot be had with 'norm: width', which is over all heads");
  }
  if (const config::Value* bias = fields.find("bias"))
    shape.bias = static_cast<AttentionBias>(
        config::as_choice(*bias, {"as-products", "none", "inputs", "all", "output"}));
  shape.sinks = fields.boolean("sinks", false);
  read_gates(fields, shape);
  shape.soft_cap = fields.boolean("soft_cap", false);
  shape.local_positions = fields.boolean("local_positions", false);
  shape.borrowing = fields.integer("borrowing", 0, 1, most_layers);
  read_compressed(fields, shape);
  if (const config::Value* indexer = fields.find("indexer"))
    shape.indexer = checked_indexer(*indexer, shape);
  for (const char* key : {"norm", "value_norm", "value_dim", "full", "compression", "borrowing"})
    if (shape.latent && fields.find(key))
      fields.at(key).fail(fmt::format("'{}' means nothing beside 'latent'", key));
}

}  // namespace

Heads AttentionDimensions::of(bool sees_all) const {
  if (sees_all && full) return *full;
  return {heads, kv_heads, head_dim, value_dim > 0 ? value_dim : head_dim, false};
}

bool AttentionDimensions::is_plain() const {
  return !indexer && !full && value_dim == 0 && !value_norm && norm == HeadNorm::none &&
         bias == AttentionBias::as_products && !sinks && !gate && !head_gate && !soft_cap &&
         !local_positions && !compression && query_rank == 0 && borrowing == 0;
}

AttentionDimensions read_attention(const config::Fields& fields, int64_t hidden) {
  AttentionDimensions shape;
  read_heads(fields, hidden, shape);
  shape.window = fields.integer("window", 0, 0, most_tokens);
  shape.window_every = fields.integer("window_every", 1, 1, most_layers);
  if (const config::Value* latent = fields.find("latent")) shape.latent = read_latent(*latent);
  if (const config::Value* rare = fields.find("attention")) read_rare(*rare, shape);
  return shape;
}

}  // namespace pipewright
