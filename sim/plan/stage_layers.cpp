#include "plan/stage_layers.hpp"

#include <algorithm>
#include <cmath>

#include "workload/operation.hpp"

namespace pipewright {
namespace {

/// Appends segments of a part; kernels of one part that follow each other without a collective
/// between them become one op.
void append(Segments& to, const Segments& more, int part = 0) {
  for (const Segment& segment : more) {
    const bool goes_on = !to.empty() && !to.back().collective && to.back().part == part &&
                         to.back().chain == segment.chain && !segment.joins;
    if (!goes_on) to.push_back({.part = part, .chain = segment.chain, .joins = segment.joins});
    Segment& last = to.back();
    last.kernels.insert(last.kernels.end(), segment.kernels.begin(), segment.kernels.end());
    last.collective = segment.collective;
    last.captured = segment.captured;
  }
}

bool has_graphs(const Segments& segments) {
  return std::ranges::any_of(segments, [](const Segment& segment) {
    return std::ranges::any_of(segment.kernels,
                               [](const Work& work) { return work.captured != Captured::no; });
  });
}

/// Appends gradients of weights to the pass that makes them alone: a layer's have graphs of their
/// own there.
void append_alone(Segments& to, const Segments& more, int part) {
  if (!has_graphs(more)) return append(to, more, part);
  Segments opened = more;
  open_graphs(opened);
  append(to, opened, part);
}

int64_t scaled(int64_t value, double share) {
  return std::llround(static_cast<double>(value) * share);
}

void slice(Segments& segments, const SliceShare& share) {
  for (Segment& segment : segments) {
    for (Work& work : segment.kernels) work = sliced(work, share);
    if (segment.collective) segment.collective = sliced(*segment.collective, share);
  }
}

/// Every part has a segment, even one without kernels. `joins`: so has every layer.
void begin_layer(Segments& to, int part, bool joins) {
  if (joins || to.empty() || to.back().part != part) to.push_back({.part = part, .joins = joins});
}

/// The passes that complete gradients, cut where a bucket is full.
void cut_last_passes(std::span<const Layer> layers, const StageCut& cut, StageWork& stage) {
  const std::vector<int>& bucket = cut.bucket;
  for (size_t k = layers.size(); k-- > 0;) {
    begin_layer(stage.last_backward, bucket[k], cut.layers_join);
    begin_layer(stage.last_weight_gradient, bucket[k], cut.layers_join);
    append(stage.last_backward, layers[k].recompute, bucket[k]);
    append(stage.last_backward, layers[k].input_gradient, bucket[k]);
    append(stage.last_backward, layers[k].weight_gradient, bucket[k]);
    append_alone(stage.last_weight_gradient, layers[k].weight_gradient, bucket[k]);
  }
}

}  // namespace

StageWork stage_work(std::span<const Layer> layers, Bytes received, const StageCut& cut) {
  StageWork stage;
  const bool marked = cut.layers_join || !cut.unit.empty();
  const auto unit = [&](size_t k) { return cut.unit.empty() ? 0 : cut.unit[k]; };
  for (size_t k = 0; k < layers.size(); ++k) {
    if (marked) begin_layer(stage.forward, unit(k), cut.layers_join);
    append(stage.forward, layers[k].forward, unit(k));
    stage.activation += layers[k].stash;
    stage.transient = std::max(stage.transient, layers[k].passing.transient);
  }
  for (size_t k = layers.size(); k-- > 0;) {
    const Layer& layer = layers[k];
    if (marked)
      for (Segments* pass : {&stage.backward, &stage.input_gradient, &stage.weight_gradient})
        begin_layer(*pass, unit(k), cut.layers_join);
    for (Segments* pass : {&stage.backward, &stage.input_gradient}) {
      append(*pass, layer.recompute, unit(k));
      append(*pass, layer.input_gradient, unit(k));
    }
    append(stage.backward, layer.weight_gradient, unit(k));
    append_alone(stage.weight_gradient, layer.weight_gradient, unit(k));
  }
  if (!cut.bucket.empty() && cut.bucket.front() > 0) cut_last_passes(layers, cut, stage);
  stage.forward_output = layers.empty() ? received : layers.back().output;
  stage.backward_output = received;
  return stage;
}

SliceShare share_of_slice(int begin, int end, int sequence) {
  const double last = static_cast<double>(end) / sequence;
  const double first = static_cast<double>(begin) / sequence;
  return {.tokens = static_cast<double>(end - begin) / sequence,
          .attention = last * last - first * first};
}

bool sees_context(const Work& work) {
  // Unfused attention is batched matrix products; weights' products have a batch of one.
  const bool batched = work.kernel == Kernel::gemm && work.shape[0] > 1 && !work.in_turn;
  return work.kernel == Kernel::attention || batched;
}

Work sliced(Work work, const SliceShare& share) {
  const double part = sees_context(work) ? share.attention : share.tokens;
  work.flops *= part;
  work.singles *= part;
  work.read.count = scaled(work.read.count, part);
  work.written.count = scaled(work.written.count, part);
  // Queries are the rows of every kernel that has rows.
  const size_t rows = work.kernel == Kernel::attention ? 2 : 1;
  const bool reduces_tokens =
      work.kernel == Kernel::gemm && work.direction == Direction::weight_gradient;
  int64_t& dimension = work.shape[reduces_tokens ? 3 : rows];
  if (dimension > 0) dimension = std::max<int64_t>(1, scaled(dimension, share.tokens));
  return work;
}

CollectiveWork sliced(CollectiveWork work, const SliceShare& share) {
  work.bytes.count = scaled(work.bytes.count, share.tokens);
  return work;
}

StageWork slice_of(const StageWork& whole, int begin, int end, int sequence) {
  const SliceShare share = share_of_slice(begin, end, sequence);
  StageWork part = whole;
  for (Segments* pass : {&part.forward, &part.backward, &part.input_gradient, &part.weight_gradient,
                         &part.last_backward, &part.last_weight_gradient}) {
    slice(*pass, share);
  }
  for (Bytes* bytes :
       {&part.activation, &part.transient, &part.forward_output, &part.backward_output}) {
    bytes->count = scaled(bytes->count, share.tokens);
  }
  return part;
}

double flops_of(const Segments& segments) {
  double flops = 0;
  for (const Segment& segment : segments)
    for (const Work& work : segment.kernels) flops += work.flops;
  return flops;
}

}  // namespace pipewright
