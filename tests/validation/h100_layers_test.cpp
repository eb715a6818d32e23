// Layers that trained for seconds on one H100 (calibrate/profiles/h100-sxm.torch.csv, part
// `layers`), held against what a device computes of them. The optimizer is not theirs, and of the
// embeddings and the loss there is next to nothing here.
#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Seconds of forward and backward passes.
double passes(const std::string& model, const std::string& batch, const std::string& rest) {
  const RunResult result =
      run(experiment("model: {transformer: {vocabulary: 256, tied_embeddings: true, " + model +
                     "}}\ncluster: {devices: 1, device: h100-sxm, link: nvlink4}\nbatch: {" +
                     batch + "}\nprecision: bf16\noptimizer: sgd\nschedule: 1f1b\n" + rest))
          .result;
  Breakdown spent = result.metrics.breakdown;
  return in_seconds(spent.computing() - spent[ComputeKind::optimizer]);
}

const std::string llama = "gated: true, norm: rmsnorm, positions: rope, bias: false, ";

TEST(H100Layers, of_a_compiled_llama) {
  EXPECT_NEAR(passes(llama + "layers: 4, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336",
                     "global: 1, micro: 1, sequence: 8192", "kernels: fused") /
                  84.27e-3,
              1, 0.10);
}

// Its norms are one kernel each, as under `fused`; rotations and gates are not.
TEST(H100Layers, of_a_wide_llama_in_plain_pytorch) {
  EXPECT_NEAR(passes(llama + "layers: 2, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672",
                     "global: 1, micro: 1, sequence: 8192", "kernels: fused") /
                  151.65e-3,
              1, 0.10);
}

// That GPT fills its mask in a copy of the scores, which a clone and a fill take.
TEST(H100Layers, of_a_gpt_whose_attention_is_not_fused) {
  EXPECT_NEAR(passes("norm: layernorm, positions: none, dropout: true, layers: 4, hidden: 2048, "
                     "heads: 16, ffn: 8192",
                     "global: 4, micro: 4, sequence: 2048",
                     "framework: torch\nkernels: eager\nattention: unfused") /
                  47.25e-3,
              1, 0.12);
}

}  // namespace
}  // namespace pipewright::test
