// After validate_args (megatron/training/arguments.py) and core/models/hybrid/
// hybrid_layer_allocation.py, August 2026: a pattern says the layers, the stages and the modules
// that predict, and excludes the arguments that say them otherwise.
#include "convert/megatron/write_mixers.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "convert/megatron/layer_pattern.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

/// Say what a hybrid's pattern says.
constexpr std::string_view said_by_pattern[] = {"num-layers", "mtp-num-layers", "moe-layer-freq",
                                                "pipeline-model-parallel-layout",
                                                "num-virtual-stages-per-pipeline-rank"};

constexpr std::string_view hybrid_spec =
    "megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec";

/// Returns the letter of a layer; nothing of one that hybrids do not have.
std::optional<char> letter_of(Mixer mixer, Feed feed) {
  if (mixer == Mixer::none && feed == Feed::dense) return '-';
  if (mixer == Mixer::none && feed == Feed::experts) return 'E';
  if (feed != Feed::none) return std::nullopt;
  if (mixer == Mixer::state_space) return 'M';
  if (mixer == Mixer::gated_delta) return 'G';
  return mixer == Mixer::full ? std::optional('*') : std::nullopt;
}

/// Returns the layers of each stage, in the model's order; empty where ranks share them evenly.
std::vector<int64_t> stages_of(const Experiment& e, int64_t layers) {
  if (e.partition.kind == PartitionOptions::Kind::counts) return e.partition.counts;
  const int64_t stages = int64_t{e.parallel.pipeline} * e.parallel.virtual_stages;
  if (e.parallel.virtual_stages == 1 || layers % stages != 0) return {};
  return std::vector<int64_t>(static_cast<size_t>(stages), layers / stages);
}

/// Returns the layers with a | between stages and those of each module that predicts behind a /.
std::string hybrid_pattern(const Experiment& e, const std::string& layers) {
  const std::vector<int64_t> stages = stages_of(e, std::ssize(layers));
  std::string pattern = layers;
  size_t at = 0;
  for (size_t stage = 0; stage + 1 < stages.size(); ++stage) {
    at += static_cast<size_t>(stages[stage]) + (stage > 0 ? 1 : 0);
    pattern.insert(std::min(at, pattern.size()), "|");
  }
  for (int64_t i = 0; i < e.model_or_fail().transformer.ends.predicted; ++i)
    pattern += std::string("/") + layers.back();
  return pattern;
}

void write_state_space(const StateSpace& s, ArgumentLines& out) {
  out.add("mamba-num-heads", s.heads);
  out.add("mamba-head-dim", s.head_dim);
  out.add("mamba-state-dim", s.state);
  out.add("mamba-num-groups", s.groups);
}

void write_gated_delta(const GatedDelta& d, ArgumentLines& out) {
  out.add("linear-num-key-heads", d.key_heads);
  out.add("linear-num-value-heads", d.value_heads);
  out.add("linear-key-head-dim", d.key_dim);
  out.add("linear-value-head-dim", d.value_dim);
  out.add("linear-conv-kernel-dim", d.convolution);
}

ArgumentLines as_hybrid(const Experiment& e, const ArgumentLines& lines,
                        const std::string& layers) {
  const BlockKinds& kinds = e.model_or_fail().transformer.kinds;
  ArgumentLines out;
  out.add("hybrid-layer-pattern", "'" + hybrid_pattern(e, layers) + "'");
  for (const ArgumentLine& line : lines.lines())
    if (std::ranges::find(said_by_pattern, line.name) == std::end(said_by_pattern)) out.add(line);
  if (kinds.state_space) write_state_space(*kinds.state_space, out);
  if (kinds.gated_delta) write_gated_delta(*kinds.gated_delta, out);
  out.add("spec", hybrid_spec);
  return out;
}

/// Returns after how many layers one has softmax attention, where the last of each group has it;
/// else a list with a 1 for each layer by the gated delta rule.
std::string frequency_of(const TransformerShape& shape) {
  std::vector<int> layers;
  for (int64_t layer = 0; layer < shape.layers; ++layer)
    layers.push_back(shape.mixer(layer) == Mixer::gated_delta ? 1 : 0);
  const size_t period = period_of(layers);
  const std::vector<int> group(layers.begin(),
                               layers.begin() + static_cast<std::ptrdiff_t>(period));
  const bool is_last = std::ranges::count(group, 0) == 1 && group.back() == 0;
  if (is_last) return std::to_string(period);
  return fmt::format("'[{}]'", fmt::join(layers, ","));
}

/// Tells whether all layers have softmax attention or the gated delta rule.
bool mixes_by_attention(const TransformerShape& shape) {
  for (int64_t layer = 0; layer < shape.layers; ++layer)
    if (const Mixer mixer = shape.mixer(layer); mixer != Mixer::gated_delta && mixer != Mixer::full)
      return false;
  return true;
}

}  // namespace

std::string hybrid_layers(const TransformerShape& shape) {
  std::string layers;
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    const std::optional<char> letter = letter_of(shape.mixer(layer), shape.feed(layer));
    if (!letter) return {};
    layers += *letter;
  }
  return layers;
}

ArgumentLines with_mixers(const Experiment& e, const ArgumentLines& lines) {
  const TransformerShape& shape = e.model_or_fail().transformer;
  if (const std::string layers = hybrid_layers(shape); !layers.empty())
    return as_hybrid(e, lines, layers);
  ArgumentLines out = lines;
  const auto& rule = shape.kinds.gated_delta;
  if (!rule || !mixes_by_attention(shape)) return out;
  out.add("experimental-attention-variant", "gdn");
  out.add("linear-attention-freq", frequency_of(shape));
  write_gated_delta(*rule, out);
  return out;
}

}  // namespace pipewright::megatron
