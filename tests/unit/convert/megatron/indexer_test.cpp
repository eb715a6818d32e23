#include "convert/megatron/indexer.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"
#include "lines_of.hpp"

namespace pipewright::test {
namespace {

config::Value indexer_of(const std::string& more, int64_t layers) {
  FlagsOf given(
      "--multi-latent-attention --experimental-attention-variant dsa --dsa-indexer-topk 2048 "
      "--dsa-indexer-n-heads 32 --dsa-indexer-head-dim 128 " +
      more);
  config::Value transformer;
  megatron::read_indexer(*given.flags, layers, transformer);
  return *transformer.find("attention")->find("indexer");
}

// GLM-5.2: is_dsa_skip_topk_layer of dsa.py for 1 to 8 with an offset of 3 and every 4th.
TEST(MegatronIndexer, every_so_many_blocks_choose_after_the_first) {
  const config::Value indexer =
      indexer_of("--dsa-indexer-topk-freq 4 --dsa-indexer-skip-topk-offset 3", 8);
  EXPECT_EQ(at(indexer, {"heads"}), "32");
  EXPECT_EQ(at(indexer, {"keys"}), "2048");
  std::string blocks;
  for (const config::Value& block : indexer.find("blocks")->items) blocks += block.text[0];
  EXPECT_EQ(blocks, "ooosssos");
  EXPECT_EQ(indexer_of("", 8).find("blocks"), nullptr);
}

TEST(MegatronIndexer, other_variants_are_refused) {
  FlagsOf given("--experimental-attention-variant dsa");
  config::Value transformer;
  EXPECT_NE(error_of([&] {
              megatron::read_indexer(*given.flags, 8, transformer);
            }).find("dsa beside --multi-latent-attention"),
            std::string::npos);
}

std::string written(const std::string& blocks, int pipeline) {
  return lines_of(
      megatron::write_indexer,
      "model: {transformer: {layers: 8, hidden: 256, heads: 4, vocabulary: 1024, norm: rmsnorm,\n"
      "  positions: rope, bias: false, latent: {query: 32, key_value: 16, nope: 16, rope: 8, "
      "value: "
      "16},\n  attention: {indexer: {heads: 4, head_dim: 16, keys: 64" +
          blocks + "}}}}\ncluster: {node: dgx-h100, nodes: 1}\nparallel: {pipeline: " +
          std::to_string(pipeline) +
          "}\nbatch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n");
}

TEST(MegatronIndexer, is_written_as_it_is_read) {
  const std::string sizes =
      "--experimental-attention-variant dsa\n--dsa-indexer-n-heads 4\n--dsa-indexer-head-dim 16\n"
      "--dsa-indexer-topk 64\n--no-rope-fusion\n";
  EXPECT_EQ(written("", 1), sizes);
  EXPECT_EQ(written(", blocks: [own, own, own, shared, shared, shared, own, shared]", 1),
            sizes + "--dsa-indexer-topk-freq 4\n--dsa-indexer-skip-topk-offset 3\n");
  EXPECT_EQ(written(", blocks: [own, shared, shared, own, own, shared, own, shared]", 1), "");
}

TEST(MegatronIndexer, a_choice_stays_within_its_stage) {
  EXPECT_NE(error_of([] {
              written(", blocks: [own, own, own, shared, shared, shared, own, shared]", 2);
            }).find("block 4"),
            std::string::npos);
  EXPECT_NE(written(", blocks: [own, shared, shared, shared]", 2), "");
}

}  // namespace
}  // namespace pipewright::test
