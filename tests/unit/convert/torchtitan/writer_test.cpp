#include "convert/torchtitan/writer.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "../megatron/lines_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

const std::string debug_model =
    "model: {transformer: {layers: 6, hidden: 256, heads: 16, ffn: 768, vocabulary: 2048, gated: "
    "true, positions: rope, norm: rmsnorm, bias: false, dropout: false, tied_embeddings: false}}\n"
    "cluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8}}\n"
    "batch: {global: 16, micro: 2, sequence: 128}\n";

// 4 replicas of 16 sequences have 4 at once, in micro-batches of 2. Stages of 4 and 2 layers are
// not those that torchtitan cuts, so their modules are named.
TEST(TorchtitanWriter, a_job_file_has_the_keys_of_today) {
  const std::string text = torchtitan::write_job_file(experiment_of(
      debug_model +
      "parallel: {tensor: 2, pipeline: 2, data: 4, zero: 3, shard: 2}\n"
      "schedule: 1f1b\npartition: [4, 2]\nrecompute: full\nprecision: {fp8: mxfp8}\n"));
  for (const char* line :
       {"name = \"llama3\"\nflavor = \"debugmodel\"\n", "converters = [\"quantize.linear.mx\"]\n",
        "data_parallel_replicate_degree = 2\n", "data_parallel_shard_degree = 2\n",
        "pipeline_parallel_schedule = \"1F1B\"\n", "pipeline_parallel_microbatch_size = 2\n",
        "local_batch_size = 4\n", "mode = \"full\"\n",
        "  [\"layers.4\", \"layers.5\", \"norm\", \"output\"],\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

/// Of torchtitan/config/job_config.py at v0.2.2, the fields that may be written, by section.
const std::map<std::string, std::set<std::string>> fields = {
    {"job", {"dump_folder"}},
    {"model", {"name", "flavor", "converters"}},
    {"optimizer", {"name"}},
    {"training",
     {"local_batch_size", "global_batch_size", "seq_len", "steps", "mixed_precision_param"}},
    {"parallelism",
     {"data_parallel_replicate_degree", "data_parallel_shard_degree", "fsdp_reshard_after_forward",
      "tensor_parallel_degree", "enable_async_tensor_parallel", "pipeline_parallel_degree",
      "module_fqns_per_model_part", "pipeline_parallel_layers_per_stage",
      "pipeline_parallel_schedule", "pipeline_parallel_schedule_csv",
      "pipeline_parallel_microbatch_size", "pipeline_parallel_expert_parallel_overlap",
      "context_parallel_degree", "context_parallel_rotate_method", "expert_parallel_degree",
      "expert_tensor_parallel_degree", "expert_parallel_comm_backend"}},
    {"activation_checkpoint", {"mode", "selective_ac_option"}},
    {"compile", {"enable"}},
    {"quantize.linear.float8", {"enable_fsdp_float8_all_gather", "filter_fqns"}}};

TEST(TorchtitanWriter, every_key_is_one_of_the_release) {
  for (const char* more :
       {"parallel: {data: 2, zero: 3, reshard: false}\nschedule: 1f1b\nprecision: {fp8: "
        "tensorwise}\ntraining: {tokens: 1 B}\nrecompute: {products: 2}\n",
        "parallel: {tensor: 2, pipeline: 2, context: 2}\nschedule: zb-v\nprecision: fp32\n",
        "parallel: {pipeline: 2}\nschedule: 1f1b\npartition: [5, 1]\noverlap: {tensor: "
        "chunked}\n"}) {
    std::istringstream lines(torchtitan::write_job_file(experiment_of(debug_model + more)));
    std::string section;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('#')) continue;
      if (line.starts_with('[')) section = line.substr(1, line.find(']') - 1);
      ASSERT_TRUE(fields.contains(section)) << line;
      const size_t equals = line.find(" = ");
      if (equals == std::string::npos) continue;
      EXPECT_TRUE(fields.at(section).contains(line.substr(0, equals))) << section << line;
    }
  }
}

// job_config.py of v0.2.0 to v0.2.2: what each takes by itself is in no need of a key that one of
// them does not know.
TEST(TorchtitanWriter, defaults_are_not_written) {
  const std::string text = torchtitan::write_job_file(
      experiment_of(debug_model + "parallel: {data: 2, zero: 3}\nschedule: 1f1b\n"));
  EXPECT_TRUE(text.starts_with("# for torchtitan v0.2.2\n")) << text;
  for (const char* key :
       {"enable_async_tensor_parallel", "pipeline_parallel_degree", "context_parallel_degree",
        "expert_parallel_degree", "expert_parallel_comm_backend",
        "pipeline_parallel_expert_parallel_overlap"})
    EXPECT_EQ(text.find(key), std::string::npos) << key;
}

// torchtitan/components/quantization/float8.py refuses fp8 gathers beside a recipe's name.
TEST(TorchtitanWriter, the_head_stays_out_of_fp8) {
  const auto section = [](const std::string& parallel) {
    const std::string text = torchtitan::write_job_file(
        experiment_of(debug_model + "parallel: {data: 2, zero: 3" + parallel +
                      "}\nschedule: 1f1b\nprecision: {fp8: tensorwise}\n"));
    return text.substr(text.find("[quantize.linear.float8]"));
  };
  EXPECT_EQ(section(""), "[quantize.linear.float8]\nfilter_fqns = [\"output\"]\n");
  EXPECT_EQ(section(", gathered: fp8"),
            "[quantize.linear.float8]\nenable_fsdp_float8_all_gather = true\n"
            "filter_fqns = [\"output\"]\n");
}

TEST(TorchtitanWriter, without_a_pipeline_batches_are_accumulated) {
  const std::string text = torchtitan::write_job_file(
      experiment_of(debug_model + "parallel: {data: 2}\nschedule: 1f1b\n"));
  EXPECT_NE(text.find("local_batch_size = 2\nglobal_batch_size = 16\n"), std::string::npos) << text;
  EXPECT_NE(text.find("data_parallel_replicate_degree = 2\ndata_parallel_shard_degree = 1\n"),
            std::string::npos);
}

// Eight shards are those of four replicas on two context ranks each.
TEST(TorchtitanWriter, ranks_of_a_context_are_not_counted_among_the_shards) {
  const auto degrees = [](const std::string& shard) {
    return torchtitan::write_job_file(experiment_of(
        debug_model + "parallel: {data: 8, context: 2, zero: 3" + shard + "}\nschedule: 1f1b\n"));
  };
  EXPECT_NE(degrees(", shard: 8")
                .find("data_parallel_replicate_degree = 2\n"
                      "data_parallel_shard_degree = 4\n"),
            std::string::npos);
  EXPECT_NE(degrees("").find("data_parallel_replicate_degree = 1\n"
                             "data_parallel_shard_degree = 8\n"),
            std::string::npos);
}

TEST(TorchtitanWriter, only_models_that_are_flavors_go_out) {
  EXPECT_EQ(error_of([] {
              torchtitan::write_job_file(experiment_of(small_experiment));
            }).find("torchtitan cannot say this model") != std::string::npos,
            true);
}

std::string with(const char* along, const std::string& more = "") {
  const config::Value map = config::parse(along, "a.yaml");
  return torchtitan::write_job_file(
      experiment_of(debug_model + "parallel: {data: 8, zero: 3}\nschedule: 1f1b\n" + more), nullptr,
      map);
}

TEST(TorchtitanWriter, what_goes_along_stands_beside) {
  const std::string text = with(
      "{optimizer: {lr: 3e-4, name: SGD}, training: {dataset: c4, seq_len: 9},\n"
      " lr_scheduler: {warmup_steps: 20}, left: [\"metrics.old: true\"]}");
  for (const char* line : {"name = \"Adam\"\nlr = 3e-4\n", "seq_len = 128\n", "dataset = \"c4\"\n",
                           "[lr_scheduler]\nwarmup_steps = 20\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(text.find("metrics"), std::string::npos) << text;
}

// The loss alone is compiled where components name it and the model is not compiled.
TEST(TorchtitanWriter, what_is_compiled_beside_the_model_stays) {
  const char* loss = "{compile: {enable: true, components: [loss]}}";
  EXPECT_NE(
      with(loss, "kernels: eager\n").find("[compile]\nenable = true\ncomponents = [\"loss\"]\n"),
      std::string::npos);
  const std::string fused = with(loss, "kernels: fused\n");
  EXPECT_NE(fused.find("[compile]\nenable = true\n"), std::string::npos);
  EXPECT_EQ(fused.find("components"), std::string::npos);
}

TEST(TorchtitanWriter, the_filter_of_fp8_is_the_jobs_own) {
  const char* filter = "{quantize: {linear: {float8: {filter_fqns: [attention.wk, output]}}}}";
  const std::string line = "filter_fqns = [\"attention.wk\", \"output\"]\n";
  EXPECT_NE(with(filter, "precision: {fp8: tensorwise}\n").find(line), std::string::npos);
  EXPECT_EQ(with(filter).find("filter_fqns"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
