#include "diagnose/traced_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"

namespace pipewright::diagnose {
namespace {

/// By stage, the rank that counts.
std::map<int, const TracedRank*> ranks_with_layers(const std::vector<TracedRank>& ranks) {
  std::map<int, const TracedRank*> of_stage;
  for (const TracedRank& rank : ranks)
    if (!rank.alone.layers.empty() && rank.alone.micro_batches > 0)
      of_stage.emplace(rank.place.stage, &rank);
  return of_stage;
}

/// Groups name a pipeline whose other stages the traces may lack.
int stages_of(const std::vector<TracedRank>& ranks) {
  int stages = 1;
  for (const TracedRank& rank : ranks) {
    stages = std::max(stages, rank.place.stage + 1);
    if (rank.names_groups) stages = std::max(stages, rank.alone.parallel.pipeline);
  }
  return stages;
}

class Joining {
 public:
  explicit Joining(int stages) { all_.stages = stages; }

  void add(int stage, const TracedRank& rank) {
    const std::vector<LayerKernelTime>& shown = rank.alone.layers;
    all_.micro_batches = rank.alone.micro_batches;
    all_.message_bytes = std::max(all_.message_bytes, rank.message_bytes);
    if (stage == 0) add_part(shown.front());
    const size_t first = all_.layers.size();
    for (size_t i = 1; i + 1 < shown.size(); ++i) {
      all_.layers.push_back({.name = fmt::format("layer {}", next_++)});
      add_to(all_.layers.back(), shown[i]);
    }
    if (stage > 0) add_to(all_.layers[first], shown.front());
    if (stage + 1 < all_.stages)
      add_to(all_.layers.back(), shown.back());
    else
      add_part(shown.back());
  }

  TracedLayers finish() && { return std::move(all_); }

 private:
  void add_to(TracedLayer& layer, const LayerKernelTime& shown) const {
    layer.forward += divide(seconds(shown.forward_s), all_.micro_batches);
    layer.backward += divide(seconds(shown.backward_s), all_.micro_batches);
  }

  /// What is no layer is one if it takes any time.
  void add_part(const LayerKernelTime& shown) {
    if (shown.measured_s() <= 0) return;
    all_.layers.push_back({.name = shown.name});
    add_to(all_.layers.back(), shown);
  }

  TracedLayers all_;
  int next_ = 0;
};

}  // namespace

TracedLayers traced_layers(const std::vector<TracedRank>& ranks) {
  const std::map<int, const TracedRank*> of_stage = ranks_with_layers(ranks);
  const int stages = stages_of(ranks);
  Joining joining(stages);
  for (int stage = 0; stage < stages; ++stage) {
    const auto found = of_stage.find(stage);
    if (found == of_stage.end())
      throw InputError(
          {ranks.front().file, 0, 0},
          fmt::format(
              "no rank of stage {} (of {}) shows layers: its passes in both directions must "
              "repeat a sequence of kernels",
              stage, stages));
    joining.add(stage, *found->second);
  }
  return std::move(joining).finish();
}

}  // namespace pipewright::diagnose
