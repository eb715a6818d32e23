// Layers that trained for seconds on one H100 and on one H200 (calibrate/profiles/*.torch.csv, part
// `layers`), held against what a device computes of them. The optimizer is not theirs, and of the
// embeddings and the loss there is next to nothing here.
#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Seconds of forward and backward passes.
double passes(const std::string& device, const std::string& model, const std::string& batch,
              const std::string& rest) {
  const RunResult result =
      run(experiment("model: {transformer: {vocabulary: 256, tied_embeddings: true, " + model +
                     "}}\ncluster: {devices: 1, device: " + device + ", link: nvlink4}\nbatch: {" +
                     batch + "}\nprecision: bf16\noptimizer: sgd\nschedule: 1f1b\n" + rest))
          .result;
  Breakdown spent = result.metrics.breakdown;
  return in_seconds(spent.computing() - spent[ComputeKind::optimizer]);
}

const std::string llama = "gated: true, norm: rmsnorm, positions: rope, bias: false, ";

TEST(TrainedLayers, of_a_compiled_llama) {
  const auto predicted = [](const std::string& device) {
    return passes(device, llama + "layers: 4, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336",
                  "global: 1, micro: 1, sequence: 8192", "kernels: fused");
  };
  EXPECT_NEAR(predicted("h100-sxm") / 84.27e-3, 1, 0.10);
  EXPECT_NEAR(predicted("h200-sxm") / 85.69e-3, 1, 0.10);
}

// Its norms are one kernel each, as under `fused`; rotations and gates are not.
TEST(TrainedLayers, of_a_wide_llama_in_plain_pytorch) {
  const auto predicted = [](const std::string& device) {
    return passes(device, llama + "layers: 2, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672",
                  "global: 1, micro: 1, sequence: 8192", "kernels: fused");
  };
  EXPECT_NEAR(predicted("h100-sxm") / 151.65e-3, 1, 0.10);
  EXPECT_NEAR(predicted("h200-sxm") / 154.09e-3, 1, 0.10);
}

// That GPT fills its mask in a copy of the scores, which a clone and a fill take. On an H200 masks
// and softmaxes gain less from the memory than is predicted.
TEST(TrainedLayers, of_a_gpt_whose_attention_is_not_fused) {
  const auto predicted = [](const std::string& device) {
    return passes(device,
                  "norm: layernorm, positions: none, dropout: true, layers: 4, hidden: 2048, "
                  "heads: 16, ffn: 8192",
                  "global: 4, micro: 4, sequence: 2048",
                  "framework: torch\nkernels: eager\nattention: unfused");
  };
  EXPECT_NEAR(predicted("h100-sxm") / 47.25e-3, 1, 0.12);
  EXPECT_NEAR(predicted("h200-sxm") / 41.63e-3, 1, 0.15);
}

}  // namespace
}  // namespace pipewright::test
