// Jobs of other frameworks: importing what was exported gives the same experiment, or the export
// says what the framework cannot say and writes nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <map>
#include <optional>

#include "convert/formats/format.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "support/experiments.hpp"
#include "support/temporary_folder.hpp"
#include "workload/model/model.hpp"

namespace pipewright::convert {
namespace {

template <class T>
T any_of(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

/// A plan of a small transformer, of which Megatron-LM can say most.
std::string random_plan() {
  const int tensor = any_of({1, 2, 4}), pipeline = any_of({1, 2, 4}), data = any_of({1, 2, 4});
  const int stages = pipeline == 1 ? 1 : any_of({1, 1, 2});
  const int layers = pipeline * stages * any_of({1, 2, 3});
  const int batches = pipeline * any_of({1, 2});
  const bool uneven = pipeline == 2 && stages == 1 && layers > 2 && any_of({0, 1});
  const std::string experts =
      any_of({"", "", ", experts: {count: 8, active: 2, ffn: 128}",
              ", experts: {count: 8, active: 2, ffn: 128, groups: 4, active_groups: 2}"});
  std::string text = fmt::format(
      "model: {{transformer: {{layers: {}, hidden: 256, heads: 8, kv_heads: {}, ffn: {}, gated: "
      "{}, "
      "vocabulary: {}, tied_embeddings: {}, positions: {}, norm: {}, bias: {}, dropout: {}{}}}}}\n",
      layers, any_of({4, 8}), any_of({512, 1000}), any_of({true, false}),
      any_of({1024, 50304, 1000}), any_of({true, false}), any_of({"rope", "learned", "none"}),
      any_of({"layernorm", "rmsnorm"}), any_of({true, false}), any_of({true, false}), experts);
  text += fmt::format(
      "cluster: {{node: dgx-h100, nodes: 8, devices: {}, fabric: {{kind: fat-tree, "
      "link: ndr, nics: 8}}}}\n",
      tensor * pipeline * data);
  text +=
      fmt::format("parallel: {{tensor: {}, pipeline: {}, data: {}, sequence: {}, zero: {}{}}}\n",
                  tensor, pipeline, data, tensor > 1 && any_of({true, false}), any_of({0, 1, 2, 3}),
                  stages > 1 ? fmt::format(", virtual: {}", stages) : std::string());
  text += fmt::format("batch: {{global: {}, micro: 2, sequence: 128}}\n", 2 * data * batches);
  text += fmt::format("schedule: {}\n",
                      stages > 1 ? "interleaved-1f1b" : any_of({"1f1b", "1f1b", "gpipe"}));
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

/// Every value of a document by its path.
void flatten(const config::Value& value, const std::string& path,
             std::map<std::string, std::string>& flat) {
  for (const config::Entry& entry : value.entries)
    flatten(entry.value, path + '.' + entry.key, flat);
  for (size_t i = 0; i < value.items.size(); ++i)
    flatten(value.items[i], fmt::format("{}.{}", path, i), flat);
  if (value.is_scalar()) flat[path] = value.text;
}

/// What an experiment says, the model by its dimensions.
using Said = std::map<std::string, std::string>;

/// The experiment as it runs; nothing where it cannot.
std::optional<Said> said(const std::string& text) {
  const config::Catalogue catalogue;
  try {
    const Experiment experiment =
        read_experiment(resolve(config::parse(text, "x.yaml"), catalogue));
    config::Value document = prepare(experiment, catalogue, {}).record.resolved;
    document.set("model", {});
    Said flat;
    flatten(document, "", flat);
    const TransformerShape& t = experiment.model_or_fail().transformer;
    const Experts experts = t.experts.value_or(Experts{});
    flat["model"] = fmt::format(
        "{} {} {} {} {} {} {} {}{}{}{} {} {} {} {} {} {}", t.layers, t.hidden, t.attention.heads,
        t.attention.kv_heads, t.attention.head_dim, t.ffn, t.ends.vocabulary, t.gated, t.ends.tied,
        t.bias, t.dropout, static_cast<int>(t.positions), static_cast<int>(t.norm), experts.count,
        experts.active, experts.groups, experts.active_groups);
    return flat;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

RC_GTEST_PROP(Jobs, of_random_plans_come_back, ()) {
  const std::string plan = random_plan();
  const std::optional<Said> wanted = said(plan);
  RC_PRE(wanted.has_value());
  const config::Catalogue catalogue;
  const Experiment experiment =
      read_experiment(resolve(config::parse(plan, "plan.yaml"), catalogue));
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/job";
  const Format& format = *find_format("megatron-args");
  try {
    format.writing.run({experiment, catalogue, {}, file});
  } catch (const InputError& error) {
    RC_TAG(std::string(error.what()));
    RC_ASSERT(std::string(error.what()).find("cannot say") != std::string::npos);
    RC_ASSERT(!std::filesystem::exists(file));
    return;
  }
  const std::string again =
      format.reading.run({.file = file, .out = "-", .options = {}, .more = {}});
  const std::optional<Said> said_again = said(again);
  RC_ASSERT(said_again.has_value());
  for (const auto& [path, value] : *wanted)
    if (!said_again->contains(path) || said_again->at(path) != value)
      RC_LOG() << path << ": " << value << '\n';
  RC_ASSERT(*said_again == *wanted);
}

}  // namespace
}  // namespace pipewright::convert
