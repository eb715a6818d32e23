#include "convert/megatron/writer.hpp"

#include <gtest/gtest.h>

#include "experiments.hpp"

namespace pipewright::test {
namespace {

std::string written(const std::string& yaml) {
  const config::Catalogue catalogue;
  return megatron::write_script(read_experiment(resolve(experiment(yaml), catalogue)));
}

const std::string small =
    "model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1024, gated: true}}\n"
    "cluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8}}\n"
    "parallel: {tensor: 2, pipeline: 4, data: 2, zero: 1}\n"
    "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n";

TEST(MegatronWriter, arguments_are_those_of_today) {
  const std::string script = written(small + "precision: {fp8: mxfp8}\npartition: [1, 2, 2, 1]\n");
  for (const char* argument :
       {"--tensor-model-parallel-size 2\n", "--use-distributed-optimizer\n", "--swiglu\n",
        "--fp8-format e4m3\n", "--fp8-recipe mxfp8\n", "'Et*1|t*2|t*2|t*1L'\n",
        "--nnodes 2 --nproc-per-node 8 pretrain_gpt.py", "--vocab-size 1023\n"})
    EXPECT_NE(script.find(argument), std::string::npos) << argument << script;
}

TEST(MegatronWriter, recomputation_has_its_three_forms) {
  EXPECT_NE(written(small + "recompute: selective\n").find("--recompute-granularity selective"),
            std::string::npos);
  EXPECT_NE(written(small + "recompute: {layers: 1}\n").find("--recompute-method block"),
            std::string::npos);
  EXPECT_NE(written(small + "recompute: {ops: [attention, mlp]}\n").find("core_attn mlp"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
