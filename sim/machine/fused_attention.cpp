#include "machine/fused_attention.hpp"

namespace pipewright {

FusedAttention fused_attention(const Experiment& experiment) {
  const config::Value* attention = experiment.document.find("attention");
  const std::string_view kernel = attention ? std::string_view(attention->text) : "flash";
  if (kernel == "flash1") return FusedAttention::flash1;
  const bool older = kernel == "flash" ? experiment.parallel.zero == 3 : kernel == "flash2";
  return older ? FusedAttention::flash2 : FusedAttention::fastest;
}

}  // namespace pipewright
