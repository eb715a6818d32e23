#include "convert/megatron/model_args.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

job::Import import_args(const std::string& more, std::map<std::string, std::string> given = {}) {
  const std::string text =
      "ENV_VARS: {CUDA_DEVICE_MAX_CONNECTIONS: 1}\nMODEL_ARGS:\n"
      "  --num-layers: 12\n  --hidden-size: 512\n  --num-attention-heads: 8\n"
      "  --seq-length: 1024\n  --micro-batch-size: 4\n  --global-batch-size: 32\n"
      "  --data-path: ${DATA_PATH}/corpus\n  --vocab-file: v.json\n"
      "  --tokenizer-type: GPT2BPETokenizer\n" +
      more;
  given.try_emplace("NGPU", "8");
  return megatron::import_model_args(
      {.text = text, .file = "m.yaml", .given = std::move(given), .partial = false, .read = {}});
}

// _run_training.sh: `true` is a flag, "[a b]" several values; what is false is left out.
TEST(MegatronModelArgs, a_map_says_what_a_command_line_does) {
  const config::Value e = import_args(
                              "  --bf16: true\n  --fp16: false\n"
                              "  --tensor-model-parallel-size: 2\n"
                              "  --recompute-granularity: selective\n"
                              "  --recompute-modules: \"[core_attn]\"\n"
                              "  --untie-embeddings-and-output-weights: true\n")
                              .experiment;
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "2");
  EXPECT_EQ(at(e, {"parallel", "data"}), "4");
  EXPECT_EQ(at(e, {"model", "transformer", "tied_embeddings"}), "false");
  EXPECT_EQ(at(e, {"recompute"}), "selective");
}

TEST(MegatronModelArgs, variables_count_where_their_argument_does) {
  EXPECT_EQ(error_of([] { import_args("  --context-parallel-size: ${CP}\n"); }),
            "m.yaml:12:28: error: --context-parallel-size hangs on ${CP}, which the script takes "
            "from outside: give it by --define CP=VALUE");
  const config::Value e =
      import_args("  --context-parallel-size: ${CP}\n", {{"CP", "2"}}).experiment;
  EXPECT_EQ(at(e, {"parallel", "context"}), "2");
  const config::Value other = import_args("  --context-parallel-size: ${CP:-4}\n").experiment;
  EXPECT_EQ(at(other, {"parallel", "context"}), "4");
}

// yq hands both on, and argparse takes the last.
TEST(MegatronModelArgs, of_equal_keys_the_last_holds) {
  const job::Import import = import_args("  --hidden-size: 1024\n");
  EXPECT_EQ(at(import.experiment, {"model", "transformer", "hidden"}), "1024");
  EXPECT_EQ(std::count(import.assumed.begin(), import.assumed.end(),
                       "key '--hidden-size' is given twice: the last one holds (m.yaml:12:3)"),
            1);
}

TEST(MegatronModelArgs, what_is_no_argument_is_named_where_it_stands) {
  EXPECT_EQ(error_of([] { import_args("  trainer.num_nodes: 1\n"); }),
            "m.yaml:12:22: error: 'trainer.num_nodes' is an override of NeMo's configuration, and "
            "no argument of Megatron-LM: 'import nemo' reads the configuration, with such "
            "overrides as words KEY=VALUE");
  EXPECT_EQ(error_of([] { import_args("  nodes: 1\n"); }),
            "m.yaml:12:10: error: 'nodes' is no argument: it begins with --");
  EXPECT_EQ(error_of([] {
              megatron::import_model_args({.text = "a: 1", .file = "m.yaml", .given = {}});
            }),
            "m.yaml:1:1: error: no map MODEL_ARGS is here");
}

// Bash reads Et\*5\|t\*7L as Et*5|t*7L.
TEST(MegatronModelArgs, backslashes_of_a_layout_are_those_of_bash) {
  for (const char* layout : {"Et\\*5\\|t\\*7L", "\"Et*5|t*7L\""}) {
    const config::Value e = import_args(std::string("  --pipeline-model-parallel-size: 2\n"
                                                    "  --pipeline-model-parallel-layout: ") +
                                        layout + "\n")
                                .experiment;
    ASSERT_NE(e.find("partition"), nullptr);
    EXPECT_EQ(e.find("partition")->items.at(0).text, "5");
  }
}

}  // namespace
}  // namespace pipewright::test
