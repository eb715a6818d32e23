#include "diagnose/layer_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace pipewright::diagnose {
namespace {

/// No pass of a model of today launches more kernels: every period of them is tried. Micro-batches
/// of a job launch the same ones; where they do not, so many kinds of passes are looked at.
constexpr size_t most_kernels = 16384, most_kinds = 32;

struct KernelPass {
  bool back = false;
  std::vector<uint32_t> names;
  std::vector<double> seconds;
};

/// A receive may start long before the pass that it is for, but is launched right before it.
std::vector<const DeviceOp*> launched_in(const DeviceWork& work, size_t step) {
  std::vector<const DeviceOp*> ops;
  for (const DeviceOp& op : work.ops)
    if (op.step == static_cast<int>(step)) ops.push_back(&op);
  std::ranges::stable_sort(ops, {}, [](const DeviceOp* op) { return op->launched; });
  return ops;
}

/// Kernels of one direction in a row, between messages of a pipeline.
std::vector<KernelPass> passes_of(const DeviceWork& work, size_t step) {
  std::vector<KernelPass> passes;
  bool open = false;
  for (const DeviceOp* launched : launched_in(work, step)) {
    const DeviceOp& op = *launched;
    if (op.communicates && op.traffic == Traffic::pipeline) open = false;
    if (!op.computes()) continue;
    if (op.compute == ComputeKind::optimizer) {
      open = false;
      continue;
    }
    const bool back = op.goes_back();
    if (!open || passes.back().back != back) passes.push_back({.back = back});
    open = true;
    passes.back().names.push_back(op.name);
    passes.back().seconds.push_back(in_seconds(op.end - op.start));
  }
  return passes;
}

class Layers {
 public:
  /// Adds a pass. False where it has another number of layers than the passes before it.
  bool add(const KernelPass& pass) {
    if (pass.names.size() > most_kernels) return false;
    const NameRepetition found = repetition_of(pass.names);
    if (found.count == 0 || (count_ && *count_ != found.count)) return false;
    if (!count_) {
      count_ = found.count;
      times_.resize(found.count + 2);
    }
    for (size_t i = 0; i < pass.names.size(); ++i) {
      const size_t place = place_of(i, found), last = times_.size() - 1;
      LayerKernelTime& layer = times_[pass.back ? last - place : place];
      (pass.back ? layer.backward_s : layer.forward_s) += pass.seconds[i];
    }
    return true;
  }

  /// Adds a pass that is too short to have layers: it measures or prepares something.
  void add_beside(const KernelPass& pass) {
    for (const double seconds : pass.seconds)
      (pass.back ? times_.back().backward_s : times_.back().forward_s) += seconds;
  }

  /// The kernels of two layers, by the longest pass of a direction; 0: it has no layers.
  size_t kernels_of_two(const std::vector<KernelPass>& passes, bool back) {
    const KernelPass* longest = nullptr;
    for (const KernelPass& pass : passes)
      if (pass.back == back && (!longest || pass.names.size() > longest->names.size()))
        longest = &pass;
    if (longest == nullptr || longest->names.size() > most_kernels) return 0;
    return 2 * repetition_of(longest->names).period;
  }

  std::vector<LayerKernelTime> finish() && {
    if (times_.empty()) return {};
    times_.front().name = "before the layers";
    times_.back().name = "after the layers";
    for (size_t layer = 1; layer + 1 < times_.size(); ++layer)
      times_[layer].name = fmt::format("layer {}", layer - 1);
    return std::move(times_);
  }

 private:
  /// 0: before the layers; from 1: the layers; then what comes after them.
  static size_t place_of(size_t kernel, const NameRepetition& found) {
    if (kernel < found.begin) return 0;
    return std::min((kernel - found.begin) / found.period, found.count) + 1;
  }

  NameRepetition repetition_of(const std::vector<uint32_t>& names) {
    const auto known = known_.find(names);
    if (known != known_.end()) return known->second;
    if (known_.size() == most_kinds) return {};
    return known_[names] = longest_repetition(names);
  }

  std::map<std::vector<uint32_t>, NameRepetition> known_;
  std::optional<size_t> count_;
  std::vector<LayerKernelTime> times_;
};

}  // namespace

NameRepetition longest_repetition(std::span<const uint32_t> names) {
  NameRepetition best;
  for (size_t period = 1; 2 * period <= names.size(); ++period) {
    size_t run = 0;  // so many names in a row are those of a period later
    for (size_t i = 0; i + period < names.size(); ++i) {
      run = names[i] == names[i + period] ? run + 1 : 0;
      const size_t count = run / period + 1;
      if (count >= 2 && count * period > best.count * best.period)
        best = {i + 1 - run, period, count};
    }
  }
  return best;
}

std::vector<LayerKernelTime> layer_times(const DeviceWork& work, size_t step) {
  Layers layers;
  const std::vector<KernelPass> passes = passes_of(work, step);
  const std::array of_two = {layers.kernels_of_two(passes, false),
                             layers.kernels_of_two(passes, true)};
  if (of_two[0] == 0 || of_two[1] == 0) return {};
  const auto is_beside = [&](const KernelPass& pass) {
    return pass.names.size() < of_two[pass.back ? 1 : 0];
  };
  for (const KernelPass& pass : passes)
    if (!is_beside(pass) && !layers.add(pass)) return {};
  for (const KernelPass& pass : passes)
    if (is_beside(pass)) layers.add_beside(pass);
  return std::move(layers).finish();
}

}  // namespace pipewright::diagnose
