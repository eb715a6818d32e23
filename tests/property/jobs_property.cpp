// Jobs of other frameworks: importing what was exported gives the same experiment, or the export
// says what the framework cannot say and writes nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <algorithm>

#include <filesystem>
#include <optional>

#include "convert/formats/format.hpp"
#include "convert/job/model_constants.hpp"
#include "interop/words.hpp"
#include "support/said_experiment.hpp"
#include "support/temporary_folder.hpp"

namespace pipewright::convert {
namespace {

template <class T>
T any_of(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

/// Degrees of a plan, and what follows from them.
struct Degrees {
  int tensor = any_of({1, 2, 4}), pipeline = any_of({1, 2, 4}), data = any_of({1, 2, 4});
  int stages = pipeline == 1 ? 1 : any_of({1, 1, 2});  ///< of a rank
};

/// What every framework says the same way: machine, batch.
std::string machine_and_batch(const Degrees& d) {
  const int batches = d.pipeline * any_of({1, 2});
  return fmt::format(
      "cluster: {{node: dgx-h100, nodes: 8, devices: {}, fabric: {{kind: fat-tree, link: ndr, "
      "nics: 8}}}}\nbatch: {{global: {}, micro: 2, sequence: 128}}\n",
      d.tensor * d.pipeline * d.data, 2 * d.data * batches);
}

std::string parallel_of(const Degrees& d, int zero) {
  return fmt::format("parallel: {{tensor: {}, pipeline: {}, data: {}, sequence: {}, zero: {}{}}}\n",
                     d.tensor, d.pipeline, d.data, d.tensor > 1 && any_of({true, false}), zero,
                     d.stages > 1 ? fmt::format(", virtual: {}", d.stages) : std::string());
}

/// Constants of a model, which no time changes with.
std::string constants() {
  return any_of(
      {"", "", ", constants: {rope_theta: 500000, rms_norm_eps: 1e-6}",
       ", constants: {rope_theta: 10000.0, partial_rotary_factor: 0.5, initializer_range: 0.006}",
       ", constants: {rope_scaling: {rope_type: llama3, factor: 8.0, low_freq_factor: 1, "
       "high_freq_factor: 4, original_max_position_embeddings: 8192}}",
       ", constants: {rope_scaling: {rope_type: linear, factor: 2}, layer_norm_eps: 0.00001}",
       ", constants: {router_aux_loss_coef: 0.001, seq_aux: true, scoring_func: sigmoid, "
       "topk_method: noaux_tc, norm_topk_prob: false, routed_scaling_factor: 2.5}",
       ", constants: {megatron_arguments: \"--apply-layernorm-1p --qk-clip-alpha 0.25\", "
       "hidden_act: relu2}"});
}

/// A transformer of random sizes, whose blocks are Llama's where `is_llama`.
std::string transformer(int layers, bool is_llama) {
  const std::string experts =
      any_of({"", "", ", experts: {count: 8, active: 2, ffn: 128}",
              ", experts: {count: 8, active: 2, ffn: 128}, feeds: [experts, dense]",
              ", experts: {count: 8, active: 2, ffn: 128, groups: 4, active_groups: 2}"});
  return fmt::format(
      "model: {{transformer: {{layers: {}, hidden: 256, heads: 8, kv_heads: {}, ffn: {}, gated: "
      "{}, "
      "vocabulary: {}, tied_embeddings: {}, positions: {}, norm: {}, bias: {}, dropout: "
      "{}{}}}{}}}\n",
      layers, any_of({4, 8}), any_of({512, 1000}), is_llama || any_of({true, false}),
      any_of({1024, 50304, 1000}), any_of({true, false}),
      is_llama ? "rope" : any_of({"rope", "learned", "none"}),
      is_llama ? "rmsnorm" : any_of({"layernorm", "rmsnorm"}), !is_llama && any_of({true, false}),
      !is_llama && any_of({true, false}), is_llama ? "" : experts, constants());
}

std::vector<ModelConstant> constants_of(const std::string& experiment) {
  return job::model_constants(
      read_experiment(resolve(config::parse(experiment, "plan.yaml"), config::Catalogue())));
}

/// A value as all would write it: 10000.0 is 10000.
std::string plain(const ModelConstant& constant) {
  const std::string text = job::value_of(constant);
  const auto number = interop::number_of<double>(text);
  return number ? fmt::format("{}", *number) : text;
}

/// Every constant of the plan is that of the experiment that came back, or the job's head says that
/// it is not written.
void expect_constants(const std::string& plan, const std::string& job, const std::string& again) {
  const std::vector<ModelConstant> read = constants_of(again);
  for (const ModelConstant& wanted : constants_of(plan)) {
    if (job.find("# not written: " + job::text_of(wanted)) != std::string::npos) continue;
    RC_LOG() << job::text_of(wanted) << '\n';
    // Arguments of Megatron-LM are several constants of one kind.
    RC_ASSERT(std::ranges::any_of(read, [&](const ModelConstant& one) {
      return one.what == wanted.what && (!wanted.said.is_scalar() || plain(one) == plain(wanted));
    }));
  }
}

/// A plan of a small transformer, of which Megatron-LM can say most.
std::string megatron_plan() {
  const Degrees d;
  const int layers = d.pipeline * d.stages * any_of({1, 2, 3});
  const bool uneven = d.pipeline == 2 && d.stages == 1 && layers > 2 && any_of({0, 1});
  std::string text =
      transformer(layers, false) + machine_and_batch(d) + parallel_of(d, any_of({0, 1, 2, 3}));
  text += fmt::format("schedule: {}\n",
                      d.stages > 1 ? "interleaved-1f1b" : any_of({"1f1b", "1f1b", "gpipe"}));
  text += fmt::format("precision: {}\n",
                      any_of({"bf16", "fp16", "fp32", "fp8", "{fp8: mxfp8}", "{fp8: blockwise}"}));
  text += fmt::format("recompute: {}\n", any_of({"none", "full", "selective", "{layers: 1}",
                                                 "{ops: [attention, layernorm]}"}));
  text += fmt::format("optimizer: {}\n", any_of({"adam", "sgd", "momentum", "adamw"}));
  text += fmt::format("overlap: {{data: {}, p2p: {}}}\n", any_of({true, false}),
                      any_of({"async", "rendezvous"}));
  if (uneven) text += fmt::format("partition: [{}, 1]\n", layers - 1);
  return text;
}

/// A plan of which DeepSpeed can say most.
std::string deepspeed_plan() {
  Degrees d;
  d.stages = 1;
  std::string text = transformer(d.pipeline * any_of({1, 2}), any_of({true, true, false})) +
                     machine_and_batch(d) +
                     parallel_of(d, d.pipeline > 1 ? any_of({0, 1}) : any_of({0, 1, 2, 3}));
  text += "framework: deepspeed\nschedule: 1f1b\n";
  text += fmt::format("precision: {}\n", any_of({"bf16", "fp16", "fp32"}));
  text += fmt::format("gradients: {}\n", any_of({"fp32", "fp32", "bf16"}));
  text += fmt::format("recompute: {}\n", any_of({"none", "full", "selective"}));
  text += fmt::format("optimizer: {}\n", any_of({"adam", "sgd", "momentum", "adamw", "lamb"}));
  text += fmt::format("overlap: {{data: {}}}\n", any_of({true, false}));
  if (any_of({0, 0, 1})) text += "offload: optimizer\n";
  return text;
}

/// A plan of which one of accelerate's plugins can say most.
std::string accelerate_plan() {
  Degrees d;
  d.stages = 1;
  const std::string framework = any_of({"megatron", "torch", "torchtitan", "deepspeed"});
  const bool is_megatron = framework == "megatron";
  if (!is_megatron) d.pipeline = any_of({1, 1, 1, 2});
  std::string text = transformer(d.pipeline * any_of({1, 2}), any_of({true, true, false})) +
                     machine_and_batch(d) +
                     parallel_of(d, is_megatron ? any_of({0, 1}) : any_of({0, 2, 3, 3}));
  text += fmt::format("framework: {}\nschedule: 1f1b\n", framework);
  text += fmt::format("precision: {}\n", any_of({"bf16", "bf16", "fp16", "fp32", "fp8"}));
  text += fmt::format("gradients: {}\n", any_of({"fp32", "bf16", "bf16"}));
  text += fmt::format("recompute: {}\n", any_of({"none", "full", "selective"}));
  text += fmt::format("optimizer: {}\nkernels: {}\n", any_of({"adam", "adamw", "adamw", "sgd"}),
                      any_of({"fused", "eager"}));
  return text;
}

/// A plan of which nanotron can say most.
std::string nanotron_plan() {
  Degrees d;
  d.stages = 1;
  std::string text =
      transformer(d.pipeline * any_of({1, 2, 3}), any_of({true, true, true, false})) +
      machine_and_batch(d) + parallel_of(d, any_of({0, 1, 1, 2}));
  text += fmt::format("framework: nanotron\nschedule: {}\n", any_of({"1f1b", "gpipe"}));
  text += fmt::format("precision: {}\n", any_of({"bf16", "fp16", "fp32"}));
  text += fmt::format("recompute: {}\n", any_of({"none", "full", "selective"}));
  text += fmt::format("optimizer: {}\n", any_of({"sgd", "adamw", "adam"}));
  return text;
}

/// A plan of which torchtitan can say most: its debug model's six layers in all kinds of stages.
std::string torchtitan_plan() {
  Degrees d;
  d.pipeline = any_of({1, 2, 3, 6});
  d.stages = d.pipeline == 1 || d.pipeline == 6 ? 1 : any_of({1, 2, 6 / d.pipeline});
  const int shards = any_of({0, 3, 3, 1});
  std::string text =
      "model: {transformer: {layers: 6, hidden: 256, heads: 16, ffn: 768, vocabulary: 2048, gated: "
      "true, positions: rope, norm: rmsnorm, bias: false, dropout: false, tied_embeddings: "
      "false}}\n" +
      machine_and_batch(d) +
      fmt::format("parallel: {{tensor: {}, pipeline: {}, data: {}, sequence: {}, zero: {}{}{}}}\n",
                  d.tensor, d.pipeline, d.data, d.tensor > 1, d.data > 1 ? shards : 0,
                  d.data == 4 && shards == 3 && any_of({0, 1}) ? ", shard: 2" : "",
                  d.stages > 1 ? fmt::format(", virtual: {}", d.stages) : std::string());
  text += fmt::format("framework: torchtitan\nschedule: {}\n",
                      d.stages > 1 ? any_of({"interleaved-1f1b", "looped-bfs"})
                                   : any_of({"1f1b", "1f1b", "gpipe"}));
  text +=
      fmt::format("precision: {}\n", any_of({"bf16", "fp32", "{fp8: tensorwise}", "{fp8: mxfp8}"}));
  text += fmt::format("recompute: {}\n", any_of({"none", "full", "{products: 2}", "{layers: 1}"}));
  text += fmt::format("optimizer: {}\nkernels: {}\n", any_of({"adam", "adamw"}),
                      any_of({"fused", "eager"}));
  if (d.pipeline == 2 && d.stages == 1)
    text += fmt::format("partition: {}\n", any_of({"[4, 2]", "[3, 3]", "[6, 0]"}));
  return text;
}

/// Tells whether a refusal says that the job's form or the framework does not have something. What
/// Megatron-LM asserts begins with its name, or with that of what it is made of.
bool tells_what_cannot_be(const std::string& refusal) {
  constexpr std::string_view told[] = {"cannot say", "does not train", "error: Megatron-LM ",
                                       "error: Megatron-FSDP ", "error: Transformer Engine "};
  return std::ranges::any_of(
      told, [&](std::string_view one) { return refusal.find(one) != std::string::npos; });
}

/// Writes a plan as a job and reads it: it is the same, or nothing is written and the error says
/// what cannot be said. Returns whether it was written.
bool comes_back(const std::string& name, const std::string& plan) {
  const std::optional<test::Said> wanted = test::said(plan);
  RC_PRE(wanted.has_value());
  const config::Catalogue catalogue;
  const Experiment experiment =
      read_experiment(resolve(config::parse(plan, "plan.yaml"), catalogue));
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/job";
  const Format& format = *find_format(name);
  try {
    format.writing.run({experiment, catalogue, {}, file});
  } catch (const InputError& error) {
    RC_LOG() << plan << error.what() << '\n';
    const std::string refusal = error.what();
    RC_ASSERT(tells_what_cannot_be(refusal));
    RC_ASSERT(!std::filesystem::exists(file));
    return false;
  }
  const std::string again =
      format.reading.run({.file = file, .out = "-", .options = {}, .more = {}});
  const std::optional<test::Said> said_again = test::said(again);
  RC_LOG() << plan << config::read_file(file) << again;
  RC_ASSERT(said_again.has_value());
  for (const auto& [path, value] : *wanted)
    if (!said_again->contains(path) || said_again->at(path) != value)
      RC_LOG() << path << ": " << value << '\n';
  for (const auto& [path, value] : *said_again)
    if (!wanted->contains(path)) RC_LOG() << "only again: " << path << ": " << value << '\n';
  RC_ASSERT(*said_again == *wanted);
  expect_constants(plan, config::read_file(file), again);
  return true;
}

void comes_back_mostly(const std::string& name, const std::string& plan) {
  const bool written = comes_back(name, plan);
  RC_CLASSIFY(written);
}

RC_GTEST_PROP(Jobs, of_megatron_come_back, ()) {
  comes_back_mostly("megatron-args", megatron_plan());
}
RC_GTEST_PROP(Jobs, of_primus_come_back, ()) { comes_back_mostly("primus", megatron_plan()); }
RC_GTEST_PROP(Jobs, of_megatron_bridge_come_back, ()) {
  comes_back_mostly("megatron-bridge", megatron_plan());
}
RC_GTEST_PROP(Jobs, of_nemo_come_back, ()) { comes_back_mostly("nemo", megatron_plan()); }
RC_GTEST_PROP(Jobs, of_deepspeed_come_back, ()) {
  comes_back_mostly("deepspeed", deepspeed_plan());
}
RC_GTEST_PROP(Jobs, of_nanotron_come_back, ()) { comes_back_mostly("nanotron", nanotron_plan()); }
RC_GTEST_PROP(Jobs, of_accelerate_come_back, ()) {
  comes_back_mostly("accelerate", accelerate_plan());
}
RC_GTEST_PROP(Jobs, of_torchtitan_come_back, ()) {
  comes_back_mostly("torchtitan", torchtitan_plan());
}

}  // namespace
}  // namespace pipewright::convert
