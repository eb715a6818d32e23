#include "convert/job/leaves.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/settings.hpp"
#include "convert/job/transformer_map.hpp"
#include "interop/words.hpp"
#include "workload/model/model.hpp"

namespace pipewright::job {
namespace {

using config::Value;

constexpr std::string_view constants_of_model = "model.constants.";

/// One stage a rank, and stages that are alike, are what holds where nobody says it.
bool says_nothing(const Value& value, std::string_view path) {
  if (path == "parallel.virtual") return value.text == "1";
  if (path != "partition") return false;
  if (!value.is_list()) return value.text == "even";
  return std::all_of(value.items.begin(), value.items.end(),
                     [&](const Value& item) { return item.text == value.items.front().text; });
}

/// The values of a document by path. What is empty says nothing.
void add_leaves(const Value& value, const std::string& path, Leaves& leaves) {
  if (value.is_map())
    for (const config::Entry& entry : value.entries)
      add_leaves(entry.value, path.empty() ? entry.key : path + '.' + entry.key, leaves);
  else if (!value.is_null() && !says_nothing(value, path))
    leaves[path] = written(value);
}

/// A schedule that has its stages of a rank itself says what parallel.virtual says.
void move_schedule(Leaves& leaves) {
  for (const auto& [from, to] :
       {std::pair("schedule.name", "schedule"), {"schedule.virtual", "parallel.virtual"}})
    if (auto leaf = leaves.extract(from)) {
      leaf.key() = to;
      if (leaf.mapped() != "1" || leaf.key() == "schedule") leaves.insert(std::move(leaf));
    }
}

/// The core of attention alone is what selective recomputation is.
void name_recompute(Leaves& leaves) {
  const auto modules = leaves.find("recompute.modules");
  if (modules == leaves.end() || modules->second != "[core_attn]") return;
  leaves.erase(modules);
  leaves["recompute"] = "selective";
}

/// A degree alone is short for rings of it.
void spread_context(Leaves& leaves) {
  auto degree = leaves.extract("parallel.context");
  if (!degree || degree.mapped() == "1") {
    if (degree) leaves.insert(std::move(degree));
    return;
  }
  degree.key() = "parallel.context.degree";
  leaves.insert(std::move(degree));
  for (const auto& [key, value] :
       {std::pair("exchange", "ring"), {"order", "zigzag"}, {"heads", "1"}})
    leaves[std::string("parallel.context.") + key] = value;
}

/// Says layers with experts by how many come before them, where a list says the same.
void count_dense(TransformerShape& shape) {
  if (!shape.experts || shape.kinds.feeds.empty()) return;
  int64_t dense = 0;
  while (dense < shape.layers && shape.feed(dense) == Feed::dense) ++dense;
  for (int64_t layer = dense; layer < shape.layers; ++layer)
    if (shape.feed(layer) != Feed::experts) return;
  shape.kinds.feeds.clear();
  shape.experts->dense = dense;
  shape.experts->every = 1;
}

/// Says by one word that all products have biases.
void say_biases(TransformerShape& shape) {
  if (!all_products_have_biases(shape)) return;
  shape.bias = true;
  if (shape.experts) shape.experts->bias = true;
  if (shape.attention.bias == AttentionBias::all) shape.attention.bias = AttentionBias::as_products;
}

/// Says what blocks have by the shortest list that stands for all of them.
template <class Kind>
void shorten(std::vector<Kind>& kinds, int64_t layers) {
  if (kinds.empty()) return;
  std::vector<Kind> all;
  for (int64_t layer = 0; layer < layers; ++layer)
    all.push_back(kinds[static_cast<size_t>(layer) % kinds.size()]);
  std::ptrdiff_t period = 1;
  while (!std::equal(all.begin() + period, all.end(), all.begin())) ++period;
  kinds.assign(all.begin(), all.begin() + period);
}

/// The model of a job. A tower that reads no images is no part of it.
Value model_map(const Experiment& experiment) {
  TransformerShape shape = experiment.model_or_fail().transformer;
  count_dense(shape);
  shorten(shape.kinds.mixers, shape.layers);
  shorten(shape.kinds.feeds, shape.layers);
  // Attention of low rank has widths of its own.
  if (shape.attention.latent && shape.kinds.mixers.empty())
    shape.attention.head_dim = std::max<int64_t>(shape.hidden / shape.attention.heads, 1);
  if (experiment.batch.images == 0) shape.vision.reset();
  say_biases(shape);
  return transformer_map(shape);
}

/// A value as all frameworks would write it: 1e-05 is 0.00001.
std::string normalized(const Value& value) {
  if (value.is_scalar()) {
    const auto number = interop::number_of<double>(value.text);
    return number ? fmt::format("{}", *number) : value.text;
  }
  Leaves parts;
  for (const config::Entry& entry : value.entries)
    parts[entry.key == "type" ? "rope_type" : entry.key] = normalized(entry.value);
  std::string text;
  for (const auto& [key, part] : parts) text += fmt::format("{}: {}, ", key, part);
  return text;
}

/// Returns what a constant is called, an argument of Megatron-LM by its own name.
std::string path_of(const ModelConstant& constant) {
  const std::string name(name_of(constant.what));
  if (constant.what != Constant::megatrons_arguments) return name;
  return name + ' ' + constant.said.text.substr(0, constant.said.text.find(' '));
}

/// Adds the constants of the model that the job says. What they are counts: names differ.
void add_constants(const Experiment& experiment, const Writer& writer, Leaves& leaves) {
  if (writer.model_outside) return;
  for (const ModelConstant& constant : model_constants(experiment))
    if (says(writer, experiment, constant))
      leaves[std::string(constants_of_model) + path_of(constant)] = normalized(constant.said);
}

}  // namespace

bool says(const Writer& writer, const Experiment& experiment, const ModelConstant& constant) {
  return writer.says && writer.says(experiment, constant);
}

Leaves leaves_of(Value document, const config::Catalogue& catalogue, const Writer& writer) {
  const Experiment experiment = read_experiment(resolve(document, catalogue));
  document.set("model", {}).set("transformer", model_map(experiment));
  Leaves leaves;
  add_leaves(document, "", leaves);
  add_constants(experiment, writer, leaves);
  move_schedule(leaves);
  name_recompute(leaves);
  spread_context(leaves);
  // One rank has nobody to divide a sequence with, or to send products to.
  const auto tensor = leaves.find("parallel.tensor");
  if (tensor == leaves.end() || tensor->second == "1")
    std::erase_if(leaves, [](const auto& leaf) {
      return leaf.first == "parallel.sequence" || leaf.first.starts_with("overlap.tensor");
    });
  // Experts that are all on every rank are sent nothing.
  if (experiment.parallel.expert == 1)
    std::erase_if(leaves, [](const auto& leaf) {
      return leaf.first.starts_with("dispatch") || leaf.first == "overlap.expert";
    });
  // Whole weights are not gathered, and those of ZeRO 3 are as gradients go.
  if (experiment.parallel.zero == 0 || experiment.parallel.zero == 3)
    leaves.erase("overlap.weights");
  // One replica has nobody to share its state with.
  if (experiment.parallel.data == 1 && experiment.parallel.context == 1)
    leaves.erase("parallel.zero");
  return leaves;
}

std::vector<std::string> differences(const Leaves& wanted, const Leaves& read) {
  std::vector<std::string> paths;
  for (const auto& [path, value] : wanted) {
    const auto found = read.find(path);
    if (found == read.end() || found->second != value) paths.push_back(path);
  }
  // What a model leaves open every framework says in its own way.
  for (const auto& [path, value] : read)
    if (!wanted.contains(path) && !path.starts_with(constants_of_model)) paths.push_back(path);
  std::stable_partition(paths.begin(), paths.end(),
                        [](const std::string& path) { return path.starts_with("model."); });
  return paths;
}

}  // namespace pipewright::job
