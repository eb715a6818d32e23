#include "convert/megatron/hybrid.hpp"

#include <fmt/format.h>

#include "convert/megatron/gated_delta.hpp"
#include "convert/megatron/layer_pattern.hpp"

namespace pipewright::megatron {
namespace {

using config::number;
using config::scalar;
using config::Value;

/// The kinds of a layer under its letter.
struct LetterKinds {
  char letter;
  const char *mixer, *feed;
};
constexpr LetterKinds letter_kinds[] = {{'M', "state-space", "none"},
                                        {'G', "gated-delta", "none"},
                                        {'*', "full", "none"},
                                        {'-', "none", "dense"},
                                        {'E', "none", "experts"}};

/// MambaMixer of core/ssm/mamba_mixer.py has twice the model's width where nobody says its heads.
constexpr int64_t expansion = 2;
constexpr int64_t usual_head_dim = 64, usual_state = 128, usual_groups = 8, scan_chunk = 128;

Value kinds_by_letter(const std::string& layers, const char* LetterKinds::*part) {
  const std::vector<int> letters(layers.begin(), layers.end());
  Value list;
  list.kind = Value::Kind::list;
  for (size_t i = 0; i < period_of(letters); ++i)
    for (const LetterKinds& kinds : letter_kinds)
      if (kinds.letter == layers[i]) list.items.push_back(scalar(kinds.*part));
  return list;
}

Value state_space(Flags& flags, int64_t hidden) {
  const int64_t head_dim = flags.number("mamba-head-dim", usual_head_dim);
  if (!flags.has("mamba-num-heads") && expansion * hidden % head_dim != 0)
    flags.fail("mamba-head-dim",
               fmt::format("does not divide the {} of a layer", expansion * hidden));
  Value s;
  s.set("heads", number(flags.number("mamba-num-heads", expansion * hidden / head_dim)));
  s.set("head_dim", number(head_dim));
  s.set("state", number(flags.number("mamba-state-dim", usual_state)));
  s.set("groups", number(flags.number("mamba-num-groups", usual_groups)));
  s.set("chunk", number(scan_chunk));
  return s;
}

std::optional<HybridPattern> given_pattern(Flags& flags) {
  for (const char* name : {"hybrid-layer-pattern", "hybrid-override-pattern"}) {
    const std::optional<std::string> text = flags.text(name);
    if (!text) continue;
    std::optional<HybridPattern> pattern = read_hybrid_pattern(*text);
    if (!pattern)
      flags.fail(name, fmt::format("'{}' cannot be said: layers here are M (Mamba 2), G (gated "
                                   "delta), * (attention), - (MLP) and E (experts), with | "
                                   "between stages and the same behind each /",
                                   *text));
    return pattern;
  }
  return std::nullopt;
}

HybridPattern pattern_by_shares(Flags& flags) {
  const double attention = flags.real("hybrid-attention-ratio", 0);
  const double mlp = flags.real("hybrid-mlp-ratio", 0);
  if (attention + mlp > 1) flags.fail("hybrid-attention-ratio", "and that of MLPs are above 1");
  if (!flags.has("num-layers")) flags.miss("num-layers");
  const int64_t layers = flags.number("num-layers", 0);
  if (layers > most_layers)
    flags.fail("num-layers", fmt::format("of a hybrid model are at most {}", most_layers));
  return {.layers = pattern_of_shares(layers, attention, mlp), .stages = {}, .module = {}};
}

/// Modules that predict tokens, of the time before they stood in the pattern itself.
void add_modules(Flags& flags, HybridPattern& pattern) {
  const int64_t modules = flags.number("mtp-num-layers", 0, 0);
  const std::string name = "mtp-hybrid-override-pattern";
  if (modules == 0 || pattern.modules > 0) return;
  pattern.modules = modules;
  pattern.module = flags.text(name).value_or(std::string(1, pattern.layers.back()));
}

}  // namespace

std::optional<HybridPattern> read_hybrid(Flags& flags, bool is_asked) {
  std::optional<HybridPattern> pattern = given_pattern(flags);
  const bool has_shares =
      flags.real("hybrid-attention-ratio", 0) > 0 || flags.real("hybrid-mlp-ratio", 0) > 0;
  if (!pattern && !is_asked && !has_shares && !flags.has("is-hybrid-model")) return std::nullopt;
  if (!pattern) pattern = pattern_by_shares(flags);
  const auto layers = std::ssize(pattern->layers);
  if (flags.number("num-layers", layers) != layers)
    flags.fail("num-layers", fmt::format("is not {}, the layers of '{}'", layers, pattern->layers));
  add_modules(flags, *pattern);
  return pattern;
}

void set_hybrid(Flags& flags, const HybridPattern& pattern, int64_t hidden, Value& transformer) {
  const auto has = [&](char letter) { return pattern.layers.find(letter) != std::string::npos; };
  transformer.set("mixers", kinds_by_letter(pattern.layers, &LetterKinds::mixer));
  transformer.set("feeds", kinds_by_letter(pattern.layers, &LetterKinds::feed));
  if (has('M')) transformer.set("state_space", state_space(flags, hidden));
  if (has('G')) transformer.set("gated_delta", gated_delta(flags));
  if (pattern.modules == 0) return;
  const bool is_last = pattern.module == std::string(1, pattern.layers.back());
  if (is_last)
    transformer.set("predict", number(pattern.modules));
  else
    flags.refuse(flags.has("mtp-num-layers") ? "mtp-num-layers" : "hybrid-layer-pattern",
                 fmt::format("'{}' cannot be said: a module that predicts is one layer, as the "
                             "last of the model",
                             pattern.module));
}

}  // namespace pipewright::megatron
