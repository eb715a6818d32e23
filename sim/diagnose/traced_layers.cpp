#include "diagnose/traced_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "diagnose/number_chunks.hpp"

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

/// How many chunks of the model the ranks hold, by the order of their passes.
int chunks_of(const std::map<int, const TracedRank*>& of_stage, int stages) {
  std::vector<TracedOperation> all;
  for (const auto& [stage, rank] : of_stage)
    all.insert(all.end(), rank->work.operations.begin(), rank->work.operations.end());
  return number_chunks(all, stages);
}

class Joining {
 public:
  Joining(int stages, int chunks) : chunks_(chunks) { all_.stages = stages; }

  /// Adds a chunk of a stage. What stands around the layers of all chunks of the first and of the
  /// last stage is of one chunk.
  void add(int chunk, int stage, const TracedRank& rank) {
    const std::vector<LayerKernelTime>& shown = rank.alone.layers;
    passes_ = rank.alone.micro_batches;
    all_.micro_batches = passes_ / chunks_;
    all_.message_bytes = std::max(all_.message_bytes, rank.message_bytes);
    if (stage == 0 && chunk == 0) add_part(shown.front());
    const size_t first = all_.layers.size();
    for (size_t i = 1; i + 1 < shown.size(); ++i) {
      all_.layers.push_back({.name = fmt::format("layer {}", next_++)});
      add_to(all_.layers.back(), shown[i], passes_);
    }
    if (stage > 0) add_to(all_.layers[first], shown.front(), passes_);
    if (stage + 1 < all_.stages) add_to(all_.layers.back(), shown.back(), passes_);
    if (stage + 1 == all_.stages && chunk + 1 == chunks_) add_part(shown.back());
  }

  TracedLayers finish() && { return std::move(all_); }

 private:
  static void add_to(TracedLayer& layer, const LayerKernelTime& shown, int passes) {
    layer.forward += divide(seconds(shown.forward_s), passes);
    layer.backward += divide(seconds(shown.backward_s), passes);
  }

  /// What is no layer is one if it takes any time.
  void add_part(const LayerKernelTime& shown) {
    if (shown.measured_s() <= 0) return;
    all_.layers.push_back({.name = shown.name});
    add_to(all_.layers.back(), shown, all_.micro_batches);
  }

  TracedLayers all_;
  int chunks_, passes_ = 1, next_ = 0;
};

}  // namespace

TracedLayers traced_layers(const std::vector<TracedRank>& ranks) {
  if (const auto pair = std::ranges::find_if(ranks, &TracedRank::overlaps_passes);
      pair != ranks.end())
    throw InputError({pair->file, 0, 0},
                     "a forward and a backward pass run as one overlapped pair: nothing tells the "
                     "kernels of their layers apart. Profile passes that do not overlap");
  const std::map<int, const TracedRank*> of_stage = ranks_with_layers(ranks);
  const int stages = stages_of(ranks);
  for (int stage = 0; stage < stages; ++stage)
    if (!of_stage.contains(stage))
      throw InputError(
          {ranks.front().file, 0, 0},
          fmt::format(
              "no rank of stage {} (of {}) shows layers: its passes in both directions must "
              "repeat a sequence of kernels",
              stage, stages));
  const int chunks = chunks_of(of_stage, stages);
  Joining joining(stages, chunks);
  for (int chunk = 0; chunk < chunks; ++chunk)
    for (const auto& [stage, rank] : of_stage) joining.add(chunk, stage, *rank);
  return std::move(joining).finish();
}

KnownLayers counted_layers(const std::vector<TracedRank>& ranks, int stages, int chunks) {
  std::map<int, int> by_stage;
  for (const TracedRank& rank : ranks) {
    const auto count = static_cast<int>(rank.alone.layers.size()) - 2;
    if (count < 1) return {};
    if (by_stage.emplace(rank.place.stage, count).first->second != count) return {};
  }
  const auto known = static_cast<int>(by_stage.size());
  if (known < stages || by_stage.rbegin()->first >= known) return {};
  KnownLayers layers;
  for (int chunk = 0; chunk < chunks; ++chunk)
    for (const auto& [stage, count] : by_stage) layers.push_back(count);
  return layers;
}

}  // namespace pipewright::diagnose
