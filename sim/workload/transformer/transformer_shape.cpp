#include "workload/transformer/transformer_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/required.hpp"
#include "workload/transformer/shape_limits.hpp"

namespace pipewright {
namespace {

constexpr std::string_view keys[] = {
    // Sizes.
    "layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocabulary", "decoder",
    "decoder_sequence", "sound", "classes", "predict", "hidden_groups",
    // Forms.
    "gated", "activation", "tied_embeddings", "positions", "norm", "norms", "bias", "dropout",
    "encoder", "parallel_block", "logit_cap",
    // Attention and experts.
    "latent", "window", "window_every", "attention", "experts",
    // Kinds of blocks.
    "mixers", "feeds", "state_space", "gated_delta", "selective_scan", "short_convolution",
    "lightning", "time_mixing", "gated_recurrence",
    // Streams and what stands beside them.
    "streams", "alternating", "laurel", "block_residuals", "block_inputs", "block_vocabulary",
    "wide_borrowers", "vision"};

constexpr int64_t most_streams = 64;

/// Reads the width of the MLP, or a list of widths, one for each block.
void read_ffn(const config::Fields& fields, TransformerShape& shape) {
  const config::Value* given = fields.find("ffn");
  if (!given || !given->is_list()) {
    shape.ffn = fields.integer("ffn", std::min(4 * shape.hidden, most_width), 1, most_width);
    return;
  }
  if (given->items.empty()) given->fail("must be a width, or a list with one for each block");
  for (const config::Value& item : given->items)
    shape.ffns.push_back(config::as_int(item, 1, most_width));
  shape.ffn = std::ranges::max(shape.ffns);
}

void read_sizes(const config::Fields& fields, TransformerShape& shape) {
  for (const char* key : {"layers", "hidden", "vocabulary"}) fields.at(key);
  shape.layers = fields.integer("layers", 0, 1, most_layers);
  shape.hidden = fields.integer("hidden", 0, 1, most_width);
  shape.ends.vocabulary = fields.integer("vocabulary", 0, 1, most_vocabulary);
  read_ffn(fields, shape);
  shape.decoder.layers = fields.integer("decoder", 0, 1, most_layers);
  shape.decoder.sequence = fields.integer("decoder_sequence", 0, 1, most_tokens);
  shape.ends.classes = fields.integer("classes", 0, 1, most_vocabulary);
  shape.ends.soft_cap = fields.boolean("logit_cap", false);
  shape.ends.predicted = fields.integer("predict", 0, 0, most_layers);
  shape.hidden_groups = fields.integer("hidden_groups", 0, 1, shape.layers);
  shape.streams = fields.integer("streams", 1, 1, most_streams);
  shape.block_residuals = fields.integer("block_residuals", 0, 0, most_layers);
  shape.alternating = fields.boolean("alternating", false);
  shape.laurel = fields.integer("laurel", 0, 0, most_width);
  shape.inputs.width = fields.integer("block_inputs", 0, 1, most_width);
  shape.inputs.vocabulary =
      fields.integer("block_vocabulary", shape.ends.vocabulary, 1, most_vocabulary);
}

/// Reads `parallel_block` and `norms`, which say the same of a block.
BlockForm read_form(const config::Fields& fields) {
  const bool parallel = fields.boolean("parallel_block", false);
  const config::Value* norms = fields.find("norms");
  const size_t place = norms ? config::as_choice(*norms, {"before", "after", "both"}) : 0;
  if (parallel && place > 0)
    norms->fail("a parallel block has one norm, before attention and MLP: norms must be before");
  constexpr BlockForm forms[] = {BlockForm::serial, BlockForm::after, BlockForm::both};
  return parallel ? BlockForm::parallel : forms[place];
}

void read_habits(const config::Fields& fields, TransformerShape& shape) {
  shape.gated = fields.boolean("gated", false);
  shape.ends.tied = fields.boolean("tied_embeddings", true);
  shape.bias = fields.boolean("bias", true);
  shape.encoder = fields.boolean("encoder", false);
  shape.form = read_form(fields);
  shape.dropout = fields.boolean("dropout", shape.bias);
  shape.wide_borrowers = fields.boolean("wide_borrowers", false);
  if (const config::Value* value = fields.find("positions")) {
    shape.positions =
        static_cast<Positions>(config::as_choice(*value, {"learned", "rope", "alibi", "none"}));
  }
  if (const config::Value* value = fields.find("norm")) {
    shape.norm = static_cast<Norm>(config::as_choice(*value, {"layernorm", "rmsnorm"}));
  }
  if (const config::Value* value = fields.find("activation")) {
    shape.activation =
        static_cast<Activation>(config::as_choice(*value, {"gelu", "gelu-new", "relu", "silu"}));
  }
}

SoundFront read_sound(const config::Value& value) {
  const config::Fields fields(value, "sound", {"bins"});
  fields.at("bins");
  return {.bins = fields.integer("bins", 0, 1, most_width)};
}

void check_decoder(const config::Fields& fields, const TransformerShape& shape) {
  if (const config::Value* tokens = fields.find("decoder_sequence");
      tokens && shape.decoder.layers == 0)
    tokens->fail("decoder_sequence is of a model with the key 'decoder'");
  if (shape.sound && shape.decoder.layers == 0)
    fields.at("sound").fail("'sound' is what an encoder hears: it needs the key 'decoder'");
  if (shape.decoder.layers == 0) return;
  for (const char* key :
       {"encoder", "experts", "latent", "window", "parallel_block", "norms", "attention", "mixers",
        "feeds", "predict", "hidden_groups", "vision", "block_residuals"})
    if (const config::Value* value = fields.find(key); value && value->text != "false")
      value->fail(fmt::format("'{}' means nothing beside 'decoder'", key));
}

/// Refuses lists of kinds that say what other keys say otherwise, and blocks of nothing.
void check_kinds(const config::Fields& fields, const TransformerShape& shape) {
  if (!shape.kinds.mixers.empty() && fields.find("window_every"))
    fields.at("window_every").fail("'mixers' says which blocks have the window");
  const std::vector<Feed>& feeds = shape.kinds.feeds;
  const bool routes = std::ranges::find(feeds, Feed::experts) != feeds.end();
  if (routes && !shape.experts)
    fields.at("feeds").fail("'experts' among them needs the key 'experts' with their 'count'");
  for (int64_t block = 0; block < shape.layers; ++block)
    if (shape.mixer(block) == Mixer::none && shape.feed(block) == Feed::none)
      fields.at("mixers").fail(fmt::format("block {} has neither a mixer nor a feed", block));
}

/// Refuses groups whose blocks could not run by the same weights.
void check_groups(const config::Fields& fields, const TransformerShape& shape) {
  for (int64_t block = 1; block < shape.layers; ++block) {
    if (!shape.shares_weights(block)) continue;
    const bool alike = shape.mixer(block) == shape.mixer(block - 1) &&
                       shape.feed(block) == shape.feed(block - 1) &&
                       shape.ffn_of(block) == shape.ffn_of(block - 1);
    if (!alike)
      fields.at("hidden_groups")
          .fail(fmt::format("blocks {} and {} are of unlike kinds and cannot share weights",
                            block - 1, block));
  }
}

/// Holds residual streams, embeddings of blocks and borrowed keys against the rest.
void check_streams(const config::Fields& fields, const TransformerShape& shape) {
  if (shape.alternating && shape.streams == 1)
    fields.at("alternating").fail("'alternating' needs the key 'streams' with more than 1");
  if (!shape.ffns.empty() && (shape.form == BlockForm::parallel || shape.wide_borrowers))
    fields.at("ffn").fail("a list of widths is of serial blocks without wide_borrowers");
  const bool beside =
      shape.streams > 1 || shape.inputs.width > 0 || shape.laurel > 0 || shape.block_residuals > 0;
  if (beside && shape.form == BlockForm::parallel)
    fields.at("parallel_block")
        .fail("streams, laurel, block_inputs and block_residuals are of serial blocks");
  if (shape.block_residuals > 0 && (shape.streams > 1 || shape.ends.predicted > 0))
    fields.at("block_residuals")
        .fail("'block_residuals' stands beside neither streams nor predict");
  if (shape.streams > 1 && shape.ends.predicted > 0)
    fields.at("predict").fail("modules that predict further tokens have one stream here");
  if (shape.attention.borrowing >= shape.layers && shape.attention.borrowing > 0)
    fields.at("attention").fail("the first block has nobody to borrow keys from");
}

/// Refuses blocks with compressed keys where nobody says how keys are compressed and chosen.
void check_compression(const config::Fields& fields, const TransformerShape& shape) {
  for (const Mixer mixer : {Mixer::few_compressed, Mixer::many_compressed})
    if (shape.kinds.has(mixer) && !shape.attention.compression)
      fields.at("mixers").fail(
          fmt::format("'{}' needs the key 'compression' of 'attention'", name_of(mixer)));
  if (shape.kinds.has(Mixer::few_compressed) && !shape.attention.indexer)
    fields.at("mixers").fail("'few-compressed' needs the key 'indexer' of 'attention'");
}

}  // namespace

Mixer TransformerShape::mixer(int64_t block) const {
  if (!kinds.mixers.empty()) return kinds.mixers[static_cast<size_t>(block) % kinds.mixers.size()];
  const bool windowed = attention.window > 0 && block % attention.window_every == 0;
  return windowed ? Mixer::sliding : Mixer::full;
}

Feed TransformerShape::feed(int64_t block) const {
  if (!kinds.feeds.empty()) return kinds.feeds[static_cast<size_t>(block) % kinds.feeds.size()];
  return experts && experts->in(block) ? Feed::experts : Feed::dense;
}

bool TransformerShape::shares_weights(int64_t block) const {
  const auto group = [&](int64_t k) { return k * hidden_groups / layers; };
  return hidden_groups > 0 && block > 0 && group(block) == group(block - 1);
}

bool TransformerShape::has_attention() const {
  return kinds.mixers.empty() || std::ranges::any_of(kinds.mixers, is_attention) ||
         kinds.has(Mixer::lightning);
}

bool TransformerShape::has_mlp() const {
  for (int64_t block = 0; block < layers; ++block)
    if (feed(block) == Feed::dense) return true;
  return false;
}

int64_t TransformerShape::reach(int64_t block, int64_t sequence) const {
  const Mixer kind = mixer(block);
  if (kind == Mixer::sliding || kind == Mixer::chunked || compresses(kind))
    return std::min(attention.window, sequence);
  const bool chosen = attention.indexer && attention.indexer->limits(block);
  return chosen ? std::min(attention.indexer->keys, sequence) : sequence;
}

int64_t TransformerShape::common_heads() const {
  int64_t heads = has_attention() ? std::gcd(attention.heads, attention.of(true).queries) : 0;
  if (kinds.has_state_space())
    heads = std::gcd(heads, required(kinds.state_space, "dimensions of state-space blocks").groups);
  if (kinds.has(Mixer::short_convolution)) heads = std::gcd(heads, hidden);
  if (kinds.has(Mixer::gated_recurrence))
    heads =
        std::gcd(heads, required(kinds.gated_recurrence, "dimensions of gated recurrences").blocks);
  if (kinds.has(Mixer::time_mixing))
    heads = std::gcd(heads, required(kinds.time_mixing, "dimensions of time mixing").heads);
  if (kinds.has(Mixer::selective_scan))
    heads = std::gcd(heads, required(kinds.selective_scan, "dimensions of selective scans").inner);
  if (kinds.has(Mixer::gated_delta))
    heads =
        std::gcd(heads, required(kinds.gated_delta, "dimensions of gated delta blocks").key_heads);
  return heads;
}

std::string_view TransformerShape::rare_part() const {
  if (!kinds.mixers.empty() || !kinds.feeds.empty()) return "blocks of several kinds";
  if (form == BlockForm::after || form == BlockForm::both) return "norms after attention and MLP";
  if (ends.predicted > 0) return "modules that predict further tokens";
  if (ends.soft_cap) return "capped logits";
  if (hidden_groups > 0) return "blocks that share weights";
  if (!ffns.empty()) return "MLPs of unlike widths";
  if (streams > 1 || laurel > 0) return "residual streams side by side";
  if (block_residuals > 0) return "branches that read the results of earlier blocks";
  if (inputs.width > 0) return "embeddings for every block";
  return attention.is_plain() ? "" : "norms, biases, gates, sinks or an indexer of attention";
}

std::span<const std::string_view> transformer_keys() { return keys; }

TransformerShape read_transformer(const config::Value& value) {
  const config::Fields fields(value, "transformer", {std::begin(keys), std::end(keys)});
  TransformerShape shape;
  read_sizes(fields, shape);
  shape.kinds = read_block_kinds(fields);
  if (shape.has_attention())
    shape.attention = read_attention(fields, shape.hidden);
  else if (const config::Value* heads = fields.find("heads"))
    heads->fail("no block has attention: 'mixers' say other kinds");
  read_habits(fields, shape);
  if (const config::Value* experts = fields.find("experts"))
    shape.experts = read_experts(*experts, shape.ffn, shape.layers);
  if (const config::Value* vision = fields.find("vision")) shape.vision = read_vision(*vision);
  if (const config::Value* sound = fields.find("sound")) shape.sound = read_sound(*sound);
  check_decoder(fields, shape);
  check_kinds(fields, shape);
  check_groups(fields, shape);
  check_streams(fields, shape);
  check_compression(fields, shape);
  if (shape.kinds.time_mixing && shape.hidden % shape.kinds.time_mixing->heads != 0)
    fields.at("time_mixing")
        .fail(fmt::format("heads {} must divide hidden {}", shape.kinds.time_mixing->heads,
                          shape.hidden));
  return shape;
}

}  // namespace pipewright
