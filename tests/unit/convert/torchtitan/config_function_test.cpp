#include "convert/torchtitan/config_function.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Import import_function(const std::string& text, std::map<std::string, std::string> given = {},
                            std::vector<job::Further> further = {}) {
  return torchtitan::import_config_function({.text = text,
                                             .file = "torchtitan/models/llama3/config_registry.py",
                                             .given = std::move(given),
                                             .partial = false,
                                             .read = {},
                                             .further = std::move(further)});
}

const std::string titan_head =
    "from torchtitan.trainer import Trainer\nfrom . import model_registry\n"
    "def llama3_8b() -> Trainer.Config:\n    return Trainer.Config(\n";

/// The form of August 2026: a batch is its tokens, and classes say what is run again.
std::string titan_of_today(const std::string& more) {
  return titan_head +
         "        model_spec=model_registry(\"8B\"),\n        optimizer=default_adamw(lr=3e-4),\n"
         "        training=TrainingConfig(\n            num_tokens_per_microbatch_per_dp_rank=2 * "
         "8192,\n            max_context_length=8192,\n            steps=1000,\n        ),\n"
         "        activation_checkpoint=SelectiveAC.Config(),\n    )\n" +
         more;
}

TEST(TorchtitanFunction, a_configuration_of_today) {
  const config::Value e = import_function(titan_of_today(""), {{"NGPU", "16"}}).experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "ffn"}), "14336");
  EXPECT_EQ(at(e, {"parallel", "data"}), "16");
  EXPECT_EQ(at(e, {"batch", "global"}), "32");
  EXPECT_EQ(at(e, {"batch", "micro"}), "2");
  EXPECT_EQ(at(e, {"batch", "sequence"}), "8192");
  EXPECT_EQ(at(e, {"recompute", "products"}), "2");
  EXPECT_EQ(at(e, {"optimizer"}), "adamw");
  EXPECT_EQ(at(e, {"launches"}), "graph");
  EXPECT_EQ(at(e, {"training", "tokens"}), "262144000");  // 1000 x 32 x 8192
}

// _validate_cuda_graphs of torchtitan/trainer.py: experts may not wait for the host.
TEST(TorchtitanFunction, graphs_know_no_experts_that_wait) {
  const auto with = [](const std::string& backend) {
    std::string text = titan_of_today("");
    text.replace(text.find("\"8B\""), 4, "\"16B\", moe_comm_backend=" + backend);
    text.replace(text.find("training="), 0,
                 "parallelism=ParallelismConfig(expert_parallel_degree=8), ");
    return at(import_function(text, {{"NGPU", "8"}, {"MODULE", "deepseek_v3"}}).experiment,
              {"launches"});
  };
  EXPECT_EQ(with("\"hybridep\", non_blocking_capacity_factor=1.0"), "graph");
  for (const char* backend : {"\"deepep\"", "\"hybridep\"", "\"standard\""})
    EXPECT_NE(error_of([&] { with(backend); }).find("CUDA graphs know no experts that wait"),
              std::string::npos)
        << backend;
}

TEST(TorchtitanFunction, another_function_changes_it) {
  const std::string text = titan_of_today(
      "def mine():\n    config = llama3_8b()\n    config.parallelism.tensor_parallel_degree = 2\n"
      "    config.parallelism.pipeline_parallel_degree = 2\n    config.parallelism."
      "num_pp_microbatches = 4\n    config.training.disable_cuda_graphs = True\n    config.compile "
      "= "
      "CompileConfig(enable=True)\n    config.activation_checkpoint = None\n    return config\n");
  const config::Value e =
      import_function(text, {{"NGPU", "16"}, {"CONFIG", "mine"}},
                      {{.word = "training.steps=7"}, {.word = "activation_checkpoint=full"}})
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "2");
  EXPECT_EQ(at(e, {"parallel", "data"}), "4");
  EXPECT_EQ(at(e, {"batch", "global"}), "32");  // 2 x 4 of each of 4 replicas
  EXPECT_EQ(at(e, {"batch", "micro"}), "2");
  EXPECT_EQ(at(e, {"kernels"}), "fused");
  EXPECT_EQ(at(e, {"recompute"}), "full");
  EXPECT_EQ(e.find("launches"), nullptr);
  EXPECT_EQ(at(e, {"training", "tokens"}), "1835008");  // 7 x 32 x 8192
}

// torchtitan/components/quantization: the recipe was that of tensors until April 2026.
TEST(TorchtitanFunction, the_form_of_february) {
  const std::string text =
      titan_head +
      "        model_spec=model_registry(\"8B\"),\n        "
      "training=TrainingConfig(local_batch_size=1, "
      "seq_len=4096),\n        model_converters=ModelConvertersContainer.Config(converters=["
      "Float8LinearConverter.Config(enable_fsdp_float8_all_gather=True, "
      "filter_fqns=[\"output\"])]),\n"
      "        activation_checkpoint=ActivationCheckpointConfig(mode=\"selective\", "
      "selective_ac_option=\"op\"))\n";
  const config::Value e = import_function(text, {{"NGPU", "8"}}).experiment;
  // It is the same class where its module is named.
  const config::Value imported =
      import_function("from torchtitan.config import ActivationCheckpointConfig\n" + text,
                      {{"NGPU", "8"}})
          .experiment;
  EXPECT_EQ(at(imported, {"recompute", "products"}), "2");
  EXPECT_EQ(at(e, {"precision", "fp8"}), "tensorwise");
  EXPECT_EQ(at(e, {"parallel", "gathered"}), "fp8");
  EXPECT_EQ(at(e, {"recompute", "products"}), "2");
  EXPECT_EQ(e.find("launches"), nullptr);
}

std::string titan_error_with(const std::string& text,
                             std::map<std::string, std::string> given = {}) {
  return error_of([&] { import_function(text, std::move(given)); });
}

// A batch of tokens is cut into sequences no longer than the context.
TEST(TorchtitanFunction, tokens_are_sequences) {
  const auto with = [](const std::string& tokens) {
    return titan_of_today(
        "def f():\n    config = llama3_8b()\n    config.training."
        "num_tokens_per_microbatch_per_dp_rank = " +
        tokens + "\n    return config\n");
  };
  const config::Value e =
      import_function(with("1024"), {{"CONFIG", "f"}, {"NGPU", "8"}}).experiment;
  EXPECT_EQ(at(e, {"batch", "sequence"}), "1024");
  EXPECT_EQ(at(e, {"batch", "micro"}), "1");
  EXPECT_NE(titan_error_with(with("8193"), {{"CONFIG", "f"}, {"NGPU", "8"}})
                .find("8193 tokens are not whole sequences of 8192"),
            std::string::npos);
}

TEST(TorchtitanFunction, which_function_it_is_must_be_clear) {
  EXPECT_EQ(
      titan_error_with(titan_of_today("def b():\n    return llama3_8b()\ndef _c():\n    pass\n")),
      "torchtitan/models/llama3/config_registry.py:1:1: error: which configuration? --define "
      "CONFIG=NAME says it: llama3_8b, b");
  EXPECT_NE(
      titan_error_with(titan_of_today(""), {{"CONFIG", "x"}}).find("there is no function 'x' here"),
      std::string::npos);
}

TEST(TorchtitanFunction, what_is_not_known_is_an_error_where_it_stands) {
  const std::string file = "torchtitan/models/llama3/config_registry.py";
  const auto with = [&](const std::string& line) {
    return titan_error_with(
        titan_of_today("def f():\n    config = llama3_8b()\n    " + line + "\n    return config\n"),
        {{"CONFIG", "f"}});
  };
  EXPECT_EQ(with("config.parallelism.tensor_parallel_degree = size()"),
            file + ":16:49: error: must be a whole number from 1 to 1000000000000");
  EXPECT_EQ(with("config.parallelism.tensor_parallel_degree = N"),
            file + ":16:49: error: N is not known here: --define N=VALUE says it");
  EXPECT_TRUE(with("tune(config)")
                  .starts_with(file + ":16:5: error: what tune does to the job is not known"));
  EXPECT_TRUE(
      with("config.parallelism.wings = 2")
          .starts_with(file + ":16:32: error: 'parallelism.wings' is no key of torchtitan"));
}

// torchtitan/trainer.py, _validate_cuda_graphs.
TEST(TorchtitanFunction, a_pipeline_and_cuda_graphs_stop_torchtitan) {
  EXPECT_NE(
      titan_error_with(titan_of_today("def f():\n    config = llama3_8b()\n    config.parallelism."
                                      "pipeline_parallel_degree = 2\n    return config\n"),
                       {{"CONFIG", "f"}})
          .find("torchtitan stops here, as CUDA graphs know no pipeline"),
      std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
