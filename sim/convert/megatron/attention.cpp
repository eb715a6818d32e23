// After megatron/training/arguments.py and megatron/legacy/model/transformer.py of Megatron-LM. The
// layers of Transformer Engine take flash attention. The local layers of Megatron-Core do not know
// it; those of the models before take it by --use-flash-attn. Local layers were the default until
// April 2024, and the models before until June 2024.
#include "convert/megatron/attention.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright::megatron {
namespace {

/// Tells whether the layers are Megatron-LM's own, and says so where their age alone tells it.
bool is_local(Flags& flags, bool is_program) {
  if (const auto layers = flags.text("transformer-impl")) return *layers == "local";
  if (!is_program || flags.latest() >= "2024-04") return false;
  flags.import().assumed.push_back(
      fmt::format("these are arguments of {} at the latest, when --transformer-impl was local: "
                  "attention is unfused without --use-flash-attn",
                  flags.latest()));
  return true;
}

bool is_unfused(Flags& flags, bool is_program) {
  const bool asks = flags.has("use-flash-attn"), core = flags.has("use-mcore-models");
  const bool legacy = flags.has("use-legacy-models");
  const bool before = legacy || (is_program && !core && flags.latest() < "2024-06");
  return is_local(flags, is_program) && !(asks && before);
}

/// Fused kernels take 16 bits or less: without --bf16 and --fp16 Transformer Engine has none
/// (get_attention_backend in transformer_engine/pytorch/attention/dot_product_attention/utils.py).
/// Documents may say their precision in other sections.
bool is_in_fp32(Flags& flags) {
  if (flags.is_document()) return false;
  constexpr const char* smaller[] = {"bf16",       "fp16",     "fp8-format",
                                     "fp8-hybrid", "fp8-e4m3", "fp4-format"};
  return std::ranges::none_of(smaller, [&](const char* name) { return flags.has(name); });
}

}  // namespace

std::string read_attention(Flags& flags, bool is_program, std::string_view usual) {
  const std::string backend = flags.text("attention-backend").value_or(std::string(usual));
  const std::string version = flags.text("flash-attention-version").value_or("");
  const char* named = version == "2" ? "flash2" : version == "3" ? "flash3" : nullptr;
  if (!version.empty() && !named)
    flags.refuse("flash-attention-version",
                 fmt::format("{} cannot be said: it is 2 or 3", version));
  const bool local = is_unfused(flags, is_program);
  if (local || is_in_fp32(flags) || backend == "unfused" || backend == "local") return "unfused";
  return named ? named : "flash";
}

}  // namespace pipewright::megatron
