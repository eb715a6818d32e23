// After deepspeed/runtime/pipe/module.py (_partition_layers) and deepspeed/runtime/utils.py, whose
// partition_balanced is that of DeepSpeed 0.12.5 (December 2023) and later; the modules are those
// of megatron/model/gpt_model.py of Megatron-DeepSpeed and megatron/model/gpt2_model.py of
// GPT-NeoX.
#include "convert/deepspeed/pipeline_stages.hpp"

#include <algorithm>
#include <limits>
#include <regex>

#include "interop/words.hpp"

namespace pipewright::deepspeed {
namespace {

using Layers = std::vector<PipelineModuleLayer>;

int64_t norm(const PipelineSizes& s) { return s.rms ? s.hidden : 2 * s.hidden; }

int64_t block(const PipelineSizes& s) {
  const int64_t keys = s.hidden / s.heads * std::min(s.kv_heads, s.heads);
  const int64_t wide = s.hidden + 2 * keys, inner = (s.gated ? 2 : 1) * s.ffn;
  int64_t cut = s.hidden * wide + s.hidden * s.hidden + s.hidden * inner + s.ffn * s.hidden;
  if (s.bias) cut += wide + inner;
  return cut / s.tensor + (s.bias ? 2 * s.hidden : 0) + 2 * norm(s);
}

int64_t embedding(const PipelineSizes& s) {
  return s.vocabulary / s.tensor * s.hidden + s.positions * s.hidden;
}

void add_blocks(const PipelineSizes& s, Layers& layers) {
  layers.insert(layers.end(), static_cast<size_t>(s.layers),
                {"ParallelTransformerLayerPipe", block(s), true});
}

PipelineModuleLayer head(const PipelineSizes& s, std::string_view name) {
  if (s.tied) return {"EmbeddingPipe", embedding(s)};
  return {name, s.vocabulary / s.tensor * s.hidden};
}

std::vector<int> uniform(int items, int parts) {
  std::vector<int> bounds;
  const int each = items / parts, more = items % parts;
  for (int part = 0; part <= parts; ++part)
    bounds.push_back(items <= parts ? std::min(part, items) : part * each + std::min(part, more));
  return bounds;
}

/// A way to cut the first items into so many parts.
struct Cut {
  double most = std::numeric_limits<double>::infinity();
  double least = most, cost = most;
  int from = 0;  ///< the first item of the last part
};

/// Bounds of parts whose heaviest and lightest differ least. Of ways that are alike the one with
/// the latest last part counts.
std::vector<int> balanced(const std::vector<double>& weights, int parts) {
  const int items = static_cast<int>(weights.size());
  if (items <= parts) return uniform(items, parts);
  std::vector<double> sums(1, 0);
  for (const double weight : weights) sums.push_back(sums.back() + weight);
  const auto sum = [&](int from, int to) {
    return sums[static_cast<size_t>(to)] - sums[static_cast<size_t>(from)];
  };
  std::vector<std::vector<Cut>> best(sums.size(), std::vector<Cut>(static_cast<size_t>(parts) + 1));
  const auto at = [&](int i, int j) -> Cut& {
    return best[static_cast<size_t>(i)][static_cast<size_t>(j)];
  };
  at(0, 0).most = at(0, 0).cost = 0;
  for (int i = 1; i <= items; ++i)
    for (int j = 1; j <= std::min(i, parts); ++j)
      for (int k = 0; k < i; ++k) {
        const Cut& before = at(k, j - 1);
        const double most = std::max(before.most, sum(k, i));
        const double least = std::min(before.least, sum(k, i));
        if (at(i, j).cost >= most - least) at(i, j) = {most, least, most - least, k};
      }
  std::vector<int> bounds(1, items);
  for (int part = parts; part > 0; --part) bounds.push_back(at(bounds.back(), part).from);
  std::reverse(bounds.begin(), bounds.end());
  return bounds;
}

/// Tells whether a regular expression is short, and repeats no group and few signs: others may take
/// for ever.
bool is_plain(std::string_view expression) {
  constexpr size_t longest = 100, most_repeated = 4;
  size_t repeated = 0;
  for (size_t i = 0; i < expression.size(); ++i) {
    if (std::string_view("*+?{").find(expression[i]) == std::string_view::npos) continue;
    if (i > 0 && expression[i - 1] == ')') return false;
    ++repeated;
  }
  return expression.size() <= longest && repeated <= most_repeated;
}

/// The weight of every layer; empty for a method that there is not.
std::vector<double> weights_of(const Layers& layers, const std::string& method) {
  std::vector<double> weights;
  const bool counts = method == "parameters";
  if (!counts && (!method.starts_with("type:") || !is_plain(method))) return weights;
  try {
    const std::regex type(counts ? "" : method.substr(5), std::regex::icase);
    for (const PipelineModuleLayer& layer : layers)
      weights.push_back(counts ? static_cast<double>(layer.parameters)
                               : std::regex_search(layer.name.begin(), layer.name.end(), type));
  } catch (const std::regex_error&) {
    weights.clear();
  }
  return weights;
}

}  // namespace

Layers megatron_pipeline(const PipelineSizes& s) {
  Layers layers = {{"_to_float16"}, {"EmbeddingPipe", embedding(s)}};
  add_blocks(s, layers);
  layers.push_back({s.rms ? "RMSNorm" : "LayerNorm", norm(s)});
  layers.push_back(head(s, "LMHeadPipe"));
  layers.push_back({"float16_to_fp32"});
  return layers;
}

Layers neox_pipeline(const PipelineSizes& s) {
  Layers layers = {{"EmbeddingPipe", embedding(s)}, {"_pre_transformer_block"}};
  add_blocks(s, layers);
  layers.push_back({"_post_transformer_block"});
  layers.push_back({"NormPipe", norm(s)});
  layers.push_back(head(s, "ParallelLinearPipe"));
  return layers;
}

std::optional<std::vector<int>> stages_of(const Layers& layers, const std::string& method,
                                          int stages) {
  const std::string name = interop::lower_case(method);
  std::vector<int> bounds;
  if (name == "uniform") {
    bounds = uniform(static_cast<int>(layers.size()), stages);
  } else {
    const std::vector<double> weights = weights_of(layers, name);
    if (weights.empty()) return std::nullopt;
    bounds = balanced(weights, stages);
  }
  std::vector<int> blocks;
  for (size_t stage = 0; stage + 1 < bounds.size(); ++stage)
    blocks.push_back(static_cast<int>(
        std::count_if(layers.begin() + bounds[stage], layers.begin() + bounds[stage + 1],
                      [](const PipelineModuleLayer& layer) { return layer.is_block; })));
  return blocks;
}

std::string layout_of(const std::vector<int>& stages) {
  std::string text = "E";
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    if (stage > 0) text += '|';
    text.append(static_cast<size_t>(stages[stage]), 't');
  }
  return text + 'L';
}

}  // namespace pipewright::deepspeed
