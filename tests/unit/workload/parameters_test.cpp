// Parameter counts against published ones, to 0.5 %.
#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright {
namespace {

using namespace test;

struct Published {
  const char* name;
  const char* transformer;
  int64_t positions;
  double parameters;  // from the source named beside it
};

const Published published[] = {
    // Radford et al. 2019; counts of the released checkpoints.
    {"gpt2", "{layers: 12, hidden: 768, heads: 12, vocabulary: 50257}", 1024, 124.44e6},
    {"gpt2-medium", "{layers: 24, hidden: 1024, heads: 16, vocabulary: 50257}", 1024, 354.82e6},
    {"gpt2-large", "{layers: 36, hidden: 1280, heads: 20, vocabulary: 50257}", 1024, 774.03e6},
    {"gpt2-xl", "{layers: 48, hidden: 1600, heads: 25, vocabulary: 50257}", 1024, 1557.6e6},
    // arXiv 2005.14165, Table 2.1.
    {"gpt3-175b", "{layers: 96, hidden: 12288, heads: 96, vocabulary: 50257}", 2048, 175.0e9},
    // arXiv 2104.04473, Table 1: billions, one decimal.
    {"megatron-145b", "{layers: 80, hidden: 12288, heads: 96, vocabulary: 51200}", 2048, 145.6e9},
    {"megatron-310b", "{layers: 96, hidden: 16384, heads: 128, vocabulary: 51200}", 2048, 310.1e9},
    {"megatron-530b", "{layers: 105, hidden: 20480, heads: 128, vocabulary: 51200}", 2048, 529.6e9},
    {"megatron-1t", "{layers: 128, hidden: 25600, heads: 160, vocabulary: 51200}", 2048, 1008.0e9},
    // Meta's checkpoints (arXiv 2307.09288, 2407.21783).
    {"llama-2-7b",
     "{layers: 32, hidden: 4096, heads: 32, ffn: 11008, gated: true, vocabulary: 32000, "
     "tied_embeddings: false, positions: rope, norm: rmsnorm, bias: false}",
     0, 6.738e9},
    {"llama-2-70b",
     "{layers: 80, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672, gated: true, "
     "vocabulary: 32000, tied_embeddings: false, positions: rope, norm: rmsnorm, bias: false}",
     0, 68.98e9},
    {"llama-3-8b",
     "{layers: 32, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, gated: true, "
     "vocabulary: 128256, tied_embeddings: false, positions: rope, norm: rmsnorm, bias: false}",
     0, 8.030e9},
    {"llama-3-405b",
     "{layers: 126, hidden: 16384, heads: 128, kv_heads: 8, ffn: 53248, gated: true, "
     "vocabulary: 128256, tied_embeddings: false, positions: rope, norm: rmsnorm, bias: false}",
     0, 405.85e9},
    // arXiv 2401.04088: 47 B in all; 46.70e9 in the checkpoint.
    {"mixtral-8x7b",
     "{layers: 32, hidden: 4096, heads: 32, kv_heads: 8, gated: true, vocabulary: 32000, "
     "tied_embeddings: false, positions: rope, norm: rmsnorm, bias: false, "
     "experts: {count: 8, active: 2, ffn: 14336}}",
     0, 46.70e9},
    // arXiv 2402.16819 counts 9.4e9 embedding and 331.6e9 other parameters (published for 340B).
    {"nemotron-4-340b",
     "{layers: 96, hidden: 18432, heads: 96, kv_heads: 8, ffn: 73728, vocabulary: 256000, "
     "tied_embeddings: false, positions: rope, bias: false}",
     0, 341.0e9},
    // arXiv 2211.05100, Table 3.
    {"bloom-176b", "{layers: 70, hidden: 14336, heads: 112, vocabulary: 250880, positions: alibi}",
     0, 176.247e9},
    // DeepSeek's model cards: 236 B and 671 B, the latter without its prediction module.
    {"deepseek-v2",
     "{layers: 60, hidden: 5120, heads: 128, ffn: 12288, gated: true, vocabulary: 102400, "
     "tied_embeddings: false, positions: rope, norm: rmsnorm, bias: false, "
     "latent: {query: 1536, key_value: 512, nope: 128, rope: 64, value: 128}, "
     "experts: {count: 160, active: 6, shared: 2, ffn: 1536, dense: 1}}",
     0, 235.7e9},
    {"deepseek-v3",
     "{layers: 61, hidden: 7168, heads: 128, ffn: 18432, gated: true, vocabulary: 129280, "
     "tied_embeddings: false, positions: rope, norm: rmsnorm, bias: false, "
     "latent: {query: 1536, key_value: 512, nope: 128, rope: 64, value: 128}, "
     "experts: {count: 256, active: 8, shared: 1, ffn: 2048, dense: 3}}",
     0, 671.0e9},
};

TEST(Parameters, are_the_published_ones) {
  for (const Published& model : published) {
    const double count =
        parameters(layers_of(transformer(model.transformer), {.sequence = 2048}, model.positions));
    EXPECT_NEAR(count / model.parameters, 1, 0.005) << model.name;
  }
}

TEST(Parameters, one_device_holds_all_of_them) {
  for (const Published& model : published) {
    const auto layers =
        layers_of(transformer(model.transformer), {.sequence = 2048}, model.positions);
    EXPECT_DOUBLE_EQ(device_parameters(layers), parameters(layers)) << model.name;
  }
}

}  // namespace
}  // namespace pipewright
