#include "convert/job/transformer_map.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "convert/job/job.hpp"

namespace pipewright::job {
namespace {

using config::number;
using config::scalar;
using config::Value;

using Size = std::pair<const char*, int64_t>;
using Truth = std::pair<const char*, bool>;

void set_all(Value& map, std::initializer_list<Size> sizes) {
  for (const auto& [key, size] : sizes) map.set(key, number(size));
}

/// Sets those that are not nothing.
void set_some(Value& map, std::initializer_list<Size> sizes) {
  for (const auto& [key, size] : sizes)
    if (size > 0) map.set(key, number(size));
}

void set_truths(Value& map, std::initializer_list<Truth> truths) {
  for (const auto& [key, holds] : truths) map.set(key, truth(holds));
}

void set_where_true(Value& map, std::initializer_list<Truth> truths) {
  for (const auto& [key, holds] : truths)
    if (holds) map.set(key, truth(holds));
}

Value experts_map(const Experts& e) {
  Value map;
  set_all(map, {{"count", e.count},
                {"active", e.active},
                {"shared", e.shared},
                {"ffn", e.ffn},
                {"every", e.every},
                {"dense", e.dense}});
  map.set("imbalance", scalar(fmt::format("{}", e.imbalance)));
  if (e.capacity > 0) map.set("capacity", scalar(fmt::format("{}", e.capacity)));
  if (e.groups > 1) set_all(map, {{"groups", e.groups}, {"active_groups", e.active_groups}});
  set_some(map, {{"shared_ffn", e.shared_ffn}, {"latent", e.latent}, {"zero", e.zero}});
  set_where_true(
      map, {{"shared_gate", e.shared_gate}, {"bias", e.bias}, {"latent_norm", e.latent_norm}});
  return map;
}

Value latent_map(const LatentAttention& l) {
  Value map;
  set_all(map, {{"query", l.query},
                {"key_value", l.key_value},
                {"nope", l.nope},
                {"rope", l.rope},
                {"value", l.value}});
  return map;
}

Value indexer_map(const Indexer& i) {
  Value map;
  set_all(map, {{"heads", i.heads}, {"head_dim", i.head_dim}, {"keys", i.keys}});
  set_some(map, {{"block", i.block}});
  if (i.choices.empty()) return map;
  static constexpr const char* names[] = {"own", "shared", "none"};
  Value& blocks = map.set("blocks", {});
  blocks.kind = Value::Kind::list;
  for (const Indexer::Choice choice : i.choices)
    blocks.items.push_back(scalar(names[static_cast<size_t>(choice)]));
  return map;
}

void set_compressed(Value& map, const AttentionDimensions& a) {
  set_some(map, {{"query_rank", a.query_rank}, {"borrowing", a.borrowing}});
  set_where_true(map, {{"values_are_keys", a.values_are_keys}});
  if (a.output)
    set_all(map.set("output", {}), {{"rank", a.output->rank}, {"groups", a.output->groups}});
  if (a.compression)
    set_all(map.set("compression", {}),
            {{"few", a.compression->few}, {"many", a.compression->many}});
}

/// The map `attention`, of what is rare.
Value attention_map(const AttentionDimensions& a) {
  static constexpr const char* norms[] = {"none", "head", "width", "unit"};
  static constexpr const char* biases[] = {"as-products", "none", "inputs", "all", "output"};
  Value map;
  if (a.norm != HeadNorm::none) map.set("norm", scalar(norms[static_cast<size_t>(a.norm)]));
  if (a.bias != AttentionBias::as_products)
    map.set("bias", scalar(biases[static_cast<size_t>(a.bias)]));
  set_some(map, {{"value_dim", a.value_dim}});
  if (a.full) {
    Value& full = map.set("full", {});
    set_all(full, {{"heads", a.full->queries},
                   {"kv_heads", a.full->keys},
                   {"head_dim", a.full->width},
                   {"value_dim", a.full->value}});
    set_where_true(full, {{"values_are_keys", a.full->values_are_keys}});
  }
  set_where_true(map, {{"value_norm", a.value_norm},
                       {"sinks", a.sinks},
                       {"gate", a.gate},
                       {"head_gate", a.head_gate},
                       {"soft_cap", a.soft_cap},
                       {"local_positions", a.local_positions}});
  if (a.indexer) map.set("indexer", indexer_map(*a.indexer));
  set_compressed(map, a);
  return map;
}

template <class Kind>
Value list_of_kinds(const std::vector<Kind>& kinds) {
  Value list;
  list.kind = Value::Kind::list;
  for (const Kind kind : kinds) list.items.push_back(scalar(name_of(kind)));
  return list;
}

Value selective_scan_map(const SelectiveScan& s) {
  static constexpr const char* norms[] = {"none", "unit", "gains"};
  Value map;
  set_all(
      map,
      {{"inner", s.inner}, {"state", s.state}, {"rank", s.rank}, {"convolution", s.convolution}});
  set_truths(map, {{"bias", s.bias}, {"convolution_bias", s.convolution_bias}});
  map.set("norm", scalar(norms[static_cast<size_t>(s.norm)]));
  return map;
}

void set_kinds(Value& t, const BlockKinds& kinds) {
  if (!kinds.mixers.empty()) t.set("mixers", list_of_kinds(kinds.mixers));
  if (!kinds.feeds.empty()) t.set("feeds", list_of_kinds(kinds.feeds));
  if (const auto& s = kinds.state_space) {
    Value& map = t.set("state_space", {});
    set_all(map, {{"heads", s->heads},
                  {"head_dim", s->head_dim},
                  {"state", s->state},
                  {"groups", s->groups},
                  {"convolution", s->convolution},
                  {"chunk", s->chunk}});
    set_truths(map,
               {{"bias", s->bias}, {"convolution_bias", s->convolution_bias}, {"norm", s->norm}});
  }
  if (const auto& m = kinds.time_mixing)
    set_all(t.set("time_mixing", {}), {{"heads", m->heads},
                                       {"decay_rank", m->decay_rank},
                                       {"rate_rank", m->rate_rank},
                                       {"value_rank", m->value_rank},
                                       {"gate_rank", m->gate_rank},
                                       {"chunk", m->chunk}});
  if (const auto& r = kinds.gated_recurrence)
    set_all(t.set("gated_recurrence", {}),
            {{"width", r->width}, {"blocks", r->blocks}, {"convolution", r->convolution}});
  if (kinds.has(Mixer::lightning)) {
    Value& map = t.set("lightning", {});
    map.set("groups", number(kinds.lightning.norm_groups));
    set_truths(map, {{"head_norms", kinds.lightning.head_norms}});
  }
  if (kinds.has(Mixer::short_convolution)) {
    Value& map = t.set("short_convolution", {});
    map.set("taps", number(kinds.short_convolution.taps));
    set_truths(map, {{"bias", kinds.short_convolution.bias}});
  }
  if (const auto& s = kinds.selective_scan) t.set("selective_scan", selective_scan_map(*s));
  if (const auto& d = kinds.gated_delta) {
    Value& map = t.set("gated_delta", {});
    set_all(map, {{"key_heads", d->key_heads},
                  {"value_heads", d->value_heads},
                  {"key_dim", d->key_dim},
                  {"value_dim", d->value_dim},
                  {"convolution", d->convolution},
                  {"chunk", d->chunk}});
    if (d->channel_decay) {
      map.set("channel_decay", truth(true));
      set_all(map, {{"rank", d->rank}, {"gate_rank", d->gate_rank}});
    }
  }
}

Value patches_map(const Patches& p) {
  Value map;
  set_all(map, {{"side", p.side}, {"channels", p.channels}, {"frames", p.frames}});
  set_some(map, {{"positions", p.positions}, {"image", p.image}});
  set_where_true(map, {{"bias", p.bias}, {"class_token", p.class_token}, {"norm", p.norm}});
  return map;
}

Value projector_map(const Projector& p) {
  Value map;
  map.set("merge", number(p.merge));
  set_some(map, {{"deep", p.deep}});
  if (p.norm) map.set("norm", scalar(*p.norm == Norm::layernorm ? "layernorm" : "rmsnorm"));
  set_where_true(map, {{"last_norm", p.last_norm},
                       {"pools", p.pools},
                       {"norms_merged", p.norms_merged},
                       {"bias", p.bias}});
  if (p.widths.empty()) return map;
  Value& widths = map.set("widths", {});
  widths.kind = Value::Kind::list;
  for (const int64_t width : p.widths) widths.items.push_back(number(width));
  return map;
}

/// A tower, whose blocks are those of an encoder without words.
Value vision_map(const VisionTower& tower) {
  Value map = transformer_map(*tower.blocks);
  std::erase_if(map.entries, [](const config::Entry& entry) {
    return entry.key == "encoder" || entry.key == "vocabulary" || entry.key == "tied_embeddings" ||
           entry.key == "parallel_block";
  });
  map.set("patches", patches_map(tower.patches));
  map.set("projector", projector_map(tower.projector));
  return map;
}

/// Sets the widths of MLPs where blocks have others.
void set_widths(Value& t, const std::vector<int64_t>& widths) {
  if (widths.empty()) return;
  Value list;
  list.kind = Value::Kind::list;
  for (const int64_t width : widths) list.items.push_back(number(width));
  t.set("ffn", std::move(list));
}

void set_heads(Value& t, const TransformerShape& shape) {
  const AttentionDimensions& a = shape.attention;
  if (!shape.has_attention()) return;
  set_all(t, {{"heads", a.heads}, {"kv_heads", a.kv_heads}, {"head_dim", a.head_dim}});
  if (a.latent) t.set("latent", latent_map(*a.latent));
  if (!a.is_plain()) t.set("attention", attention_map(a));
  set_some(t, {{"window", a.window}});
  if (a.window > 0 && shape.kinds.mixers.empty()) t.set("window_every", number(a.window_every));
}

}  // namespace

bool all_products_have_biases(const TransformerShape& shape) {
  if (shape.bias) return true;
  if (!shape.experts || !shape.experts->bias || shape.experts->shared > 0) return false;
  for (int64_t layer = 0; layer < shape.layers; ++layer)
    if (shape.feed(layer) != Feed::experts) return false;
  return shape.attention.bias == AttentionBias::all;
}

Value transformer_map(const TransformerShape& shape) {
  Value t;
  set_all(t, {{"layers", shape.layers},
              {"hidden", shape.hidden},
              {"ffn", shape.ffn},
              {"vocabulary", shape.ends.vocabulary}});
  set_heads(t, shape);
  set_truths(t, {{"gated", shape.gated},
                 {"tied_embeddings", shape.ends.tied},
                 {"bias", shape.bias},
                 {"encoder", shape.encoder},
                 {"parallel_block", shape.form == BlockForm::parallel},
                 {"dropout", shape.dropout}});
  if (shape.form == BlockForm::after) t.set("norms", scalar("after"));
  if (shape.form == BlockForm::both) t.set("norms", scalar("both"));
  static constexpr const char* positions[] = {"learned", "rope", "alibi", "none"};
  t.set("positions", scalar(positions[static_cast<size_t>(shape.positions)]));
  t.set("norm", scalar(shape.norm == Norm::layernorm ? "layernorm" : "rmsnorm"));
  static constexpr const char* activations[] = {"gelu", "gelu-new", "relu", "silu"};
  if (shape.activation != Activation::gelu)
    t.set("activation", scalar(activations[static_cast<size_t>(shape.activation)]));
  if (shape.experts) t.set("experts", experts_map(*shape.experts));
  if (shape.sound) t.set("sound", {}).set("bins", number(shape.sound->bins));
  set_kinds(t, shape.kinds);
  set_some(t, {{"decoder", shape.decoder.layers},
               {"decoder_sequence", shape.decoder.sequence},
               {"classes", shape.ends.classes},
               {"predict", shape.ends.predicted},
               {"hidden_groups", shape.hidden_groups},
               {"streams", shape.streams > 1 ? shape.streams : 0},
               {"block_residuals", shape.block_residuals},
               {"laurel", shape.laurel},
               {"block_inputs", shape.inputs.width},
               {"block_vocabulary", shape.inputs.width > 0 ? shape.inputs.vocabulary : 0}});
  set_where_true(t, {{"logit_cap", shape.ends.soft_cap},
                     {"wide_borrowers", shape.wide_borrowers},
                     {"alternating", shape.alternating}});
  set_widths(t, shape.ffns);
  if (shape.vision) t.set("vision", vision_map(*shape.vision));
  return t;
}

}  // namespace pipewright::job
