// The balanced cut: the least T such that filling stages greedily up to T needs no more than S of
// them (found by bisection over picoseconds), then, stage by stage, the cut nearest to an equal
// share of what is left among those that keep every stage within T. Exact in T; O(L log(sum of
// costs)). Where stages are on unlike devices: dynamic programming over (stage, first layer of the
// next), O(S L^2).
#include "plan/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace pipewright {
namespace {

/// Everything but a tower and embeddings in front and what stands behind all blocks.
struct Blocks {
  int first = 0, count = 0;
};

Blocks blocks_of(std::span<const Layer> layers) {
  Blocks blocks{0, static_cast<int>(layers.size())};
  const auto kind = [&](int i) { return layers[static_cast<size_t>(i)].kind; };
  while (blocks.count > 0 && is_before_blocks(kind(blocks.first))) ++blocks.first, --blocks.count;
  while (blocks.count > 0 && is_behind_blocks(kind(blocks.first + blocks.count - 1)))
    --blocks.count;
  return blocks;
}

/// Costs of layers before i, for i = 0 .. L, in picoseconds.
std::vector<int64_t> sums(std::span<const Time> costs) {
  std::vector<int64_t> before{0};
  for (const Time cost : costs) before.push_back(before.back() + cost.ps);
  return before;
}

/// The end of the longest stage that starts at `start` and costs at most `most`.
int reach(const std::vector<int64_t>& before, int start, int64_t most) {
  const auto end = std::upper_bound(before.begin() + start, before.end(), before[start] + most);
  return static_cast<int>(end - before.begin()) - 1;
}

bool fits(const std::vector<int64_t>& before, int stages, int64_t most) {
  int at = 0;
  const int layers = static_cast<int>(before.size()) - 1;
  for (int k = 0; k < stages && at < layers; ++k) at = reach(before, at, most);
  return at == layers;
}

int64_t least_bottleneck(const std::vector<int64_t>& before, int stages) {
  int64_t low = 0, high = before.back();
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (fits(before, stages, middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// The earliest start of stage k from which stages k .. S-1 can hold the rest within `most`.
std::vector<int> earliest_starts(const std::vector<int64_t>& before, int stages, int64_t most) {
  std::vector<int> earliest(static_cast<size_t>(stages) + 1, static_cast<int>(before.size()) - 1);
  for (int k = stages - 1; k >= 0; --k) {
    const auto start =
        std::lower_bound(before.begin(), before.end(), before[earliest[k + 1]] - most);
    earliest[k] = static_cast<int>(start - before.begin());
  }
  return earliest;
}

/// The index in [least, most] whose sum is nearest to `target`.
int nearest(const std::vector<int64_t>& before, int least, int most, int64_t target) {
  const auto above = std::lower_bound(before.begin() + least, before.begin() + most, target);
  const int i = static_cast<int>(above - before.begin());
  return i > least && target - before[i - 1] <= before[i] - target ? i - 1 : i;
}

/// The best cut of the first i layers into stages 0 .. k: the least bottleneck, and where stage k
/// starts.
struct StageStart {
  int64_t bottleneck = INT64_MAX;
  int start = 0;
};

/// Returns the best cuts by stage and number of layers.
std::vector<std::vector<StageStart>> best_cuts(std::span<const std::vector<Time>> costs) {
  const auto layers = static_cast<int>(costs.front().size());
  const auto stages = static_cast<int>(costs.size());
  std::vector<std::vector<StageStart>> best(costs.size(),
                                            std::vector<StageStart>(costs.front().size() + 1));
  for (int k = 0; k < stages; ++k) {
    const std::vector<int64_t> before = sums(costs[static_cast<size_t>(k)]);
    for (int end = k + 1; end <= layers - (stages - 1 - k); ++end) {
      StageStart& cut = best[static_cast<size_t>(k)][static_cast<size_t>(end)];
      const int last = k == 0 ? 0 : end - 1;
      for (int start = k; start <= last; ++start) {
        const int64_t others =
            k == 0 ? 0 : best[static_cast<size_t>(k) - 1][static_cast<size_t>(start)].bottleneck;
        const int64_t bottleneck = std::max(others, before[end] - before[start]);
        if (bottleneck < cut.bottleneck) cut = {bottleneck, start};
      }
    }
  }
  return best;
}

int64_t sum_of(const std::vector<int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

void check_counts(const PartitionOptions& options, const Where& where,
                  std::span<const Layer> layers, int stages) {
  const std::vector<int64_t>& counts = options.counts;
  if (static_cast<int>(counts.size()) != stages)
    throw Misfit(where,
                 fmt::format("partition has {} entries for {} stages", counts.size(), stages));
  const int64_t blocks = blocks_of(layers).count, sum = sum_of(counts);
  if (sum != blocks)
    throw Misfit(where, fmt::format("partition adds up to {} layers of {}", sum, blocks));
  if (options.predictions.empty()) return;
  const int64_t there = std::ranges::count(layers, LayerKind::prediction, &Layer::kind);
  if (const int64_t named = sum_of(options.predictions); named != there)
    throw Misfit(
        where, fmt::format("the model has {} m (predict: {}), the layout {}", there, there, named));
}

}  // namespace

int block_count(std::span<const Layer> layers) { return blocks_of(layers).count; }

Partition partition_of(std::span<const Layer> layers, const std::vector<int64_t>& counts,
                       const std::vector<int64_t>& predictions) {
  Partition partition{{0}};
  int next = blocks_of(layers).first;
  for (size_t k = 0; k < counts.size(); ++k) {
    next += static_cast<int>(counts[k] + (predictions.empty() ? 0 : predictions[k]));
    partition.starts.push_back(next);
  }
  partition.starts.back() = static_cast<int>(layers.size());
  return partition;
}

Partition even_partition(std::span<const Layer> layers, int stages, const Where& where) {
  const Blocks blocks = blocks_of(layers);
  if (blocks.count < stages)
    throw Misfit(where, fmt::format("{} layers are too few for {} stages; give at most {}",
                                    blocks.count, stages, blocks.count));
  if (blocks.count % stages != 0) {
    throw Misfit(
        where,
        fmt::format(
            "{} layers do not divide into {} stages; give partition: balanced or layers per stage",
            blocks.count, stages));
  }
  return partition_of(layers,
                      std::vector<int64_t>(static_cast<size_t>(stages), blocks.count / stages));
}

Partition balanced_partition(std::span<const Time> costs, int stages, const Where& where) {
  const int layers = static_cast<int>(costs.size());
  if (layers < stages)
    throw Misfit(where, fmt::format("{} layers are too few for {} stages", layers, stages));
  const std::vector<int64_t> before = sums(costs);
  const int64_t most = least_bottleneck(before, stages);
  const std::vector<int> earliest = earliest_starts(before, stages, most);
  Partition partition{{0}};
  for (int k = 0; k + 1 < stages; ++k) {
    const int start = partition.starts.back();
    const int least = std::max(earliest[k + 1], start + 1);
    const int last = std::min(reach(before, start, most), layers - (stages - k - 1));
    const int64_t share = (before.back() - before[start]) / (stages - k);
    partition.starts.push_back(nearest(before, least, last, before[start] + share));
  }
  partition.starts.push_back(layers);
  return partition;
}

Partition balanced_partition(std::span<const std::vector<Time>> costs, const Where& where) {
  const auto stages = static_cast<int>(costs.size());
  auto end = static_cast<int>(costs.front().size());
  if (end < stages)
    throw Misfit(where, fmt::format("{} layers are too few for {} stages", end, stages));
  const std::vector<std::vector<StageStart>> best = best_cuts(costs);
  Partition partition{std::vector<int>(static_cast<size_t>(stages) + 1, end)};
  for (int k = stages - 1; k >= 0; --k) {
    end = best[static_cast<size_t>(k)][static_cast<size_t>(end)].start;
    partition.starts[static_cast<size_t>(k)] = end;
  }
  return partition;
}

Partition make_partition(const PartitionOptions& options, const Where& where,
                         std::span<const Layer> layers, std::span<const std::vector<Time>> costs,
                         int stages) {
  using Kind = PartitionOptions::Kind;
  if (options.kind == Kind::counts) {
    check_counts(options, where, layers, stages);
    return partition_of(layers, options.counts, options.predictions);
  }
  if (options.kind == Kind::even) return even_partition(layers, stages, where);
  return costs.size() == 1 ? balanced_partition(costs.front(), stages, where)
                           : balanced_partition(costs, where);
}

std::vector<int64_t> block_starts(const Partition& partition, std::span<const Layer> layers) {
  const Blocks blocks = blocks_of(layers);
  std::vector<int64_t> starts;
  for (int k = 0; k < partition.stages(); ++k)
    starts.push_back(std::clamp(partition.starts[k] - blocks.first, 0, blocks.count));
  return starts;
}

Partition stage_partition(const StageMeshes& meshes, std::span<const Layer> layers) {
  const int64_t count = block_count(layers);
  const StageMeshes::Stage& last = meshes.stages.back();
  if (last.layers.last + 1 != count)
    meshes.ranks[static_cast<size_t>(last.rank)].given.find("layers")->misfit(
        fmt::format("the last stage ends with layer {}, but the model has layers 0-{}",
                    last.layers.last, count - 1));
  std::vector<int64_t> counts;
  for (const StageMeshes::Stage& stage : meshes.stages) counts.push_back(stage.layers.count());
  return partition_of(layers, counts);
}

}  // namespace pipewright
