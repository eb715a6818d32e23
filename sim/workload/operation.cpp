#include "workload/operation.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>

namespace pipewright {
namespace {

/// Tells whether a part is run again and what makes its input is not.
bool runs_alone(Part part, const Recompute& recompute) {
  return part == Part::expert_activation && !recompute.runs(Part::experts);
}

/// A product with weights: attention's have no weights.
bool is_product(const Operation& operation) {
  const auto multiplies = [](const Work& work) { return work.kernel == Kernel::gemm; };
  return operation.part != Part::attention && std::ranges::any_of(operation.forward, multiplies);
}

/// The bytes that wait for an operation's backward pass.
double held(const Operation& operation) { return operation.saved + operation.copies; }

/// The part of a layer that runs again, operation by operation.
class Again {
 public:
  explicit Again(const Recompute& recompute) : recompute_(recompute) {}

  bool of(const Operation& operation) {
    if (recompute_.products == 0) return recompute_.runs(operation.part);
    if (is_product(operation)) return ++products_ % recompute_.products == 0;
    return operation.part != Part::attention;
  }
  /// Bytes kept: a product's operands and, where it does not run again, its result.
  double kept(const Operation& operation, bool again) const {
    if (recompute_.products == 0 || !is_product(operation)) {
      if (!again) return held(operation);
      return runs_alone(operation.part, recompute_) ? operation.saved_input : 0;
    }
    double result = 0;
    for (const Work& work : operation.forward)
      if (!again && work.kernel == Kernel::gemm) result += static_cast<double>(work.written.count);
    return std::max(operation.saved, result) + operation.copies;
  }

 private:
  const Recompute& recompute_;
  int64_t products_ = 0;
};

/// Adds kernels, and a collective that ends the segment, to the last open segment of a pass.
void extend(Segments& segments, const std::vector<Work>& kernels,
            const std::optional<CollectiveWork>& collective, bool captured) {
  if (kernels.empty() && !collective) return;
  if (segments.empty() || segments.back().collective || segments.back().chain != 0)
    segments.emplace_back();
  Segment& last = segments.back();
  last.kernels.insert(last.kernels.end(), kernels.begin(), kernels.end());
  last.collective = collective;
  last.captured = captured;
}

/// A step on a chain of its own, or one that joins all, stays apart.
void extend(Segments& segments, const Segments& steps) {
  for (const Segment& step : steps) {
    if (step.chain == 0 && !step.joins)
      extend(segments, step.kernels, step.collective, step.captured);
    else
      segments.push_back(step);
  }
}

void count(Layer& layer, const Operation& operation) {
  layer.parameters += operation.parameters;
  layer.device_parameters += operation.device_parameters;
  layer.device_expert_parameters += operation.device_expert_parameters;
  layer.model_flops += operation.model_flops;
  layer.narrow_parameters += operation.narrow;
  if (operation.trained) layer.trained = layer.trained.value_or(0) + *operation.trained;
  layer.trained_experts += operation.trained_experts;
  if (operation.summed_over && operation.device_parameters > 0)
    layer.summed.push_back({*operation.summed_over, operation.device_parameters});
}

/// The most that one of a pass's collectives puts together.
double bytes_gathered(const std::optional<CollectiveWork>& first, const Segments& steps) {
  const auto gathered = [](const std::optional<CollectiveWork>& collective) {
    const bool gathers = collective && collective->kind == CollectiveKind::all_gather;
    return gathers ? static_cast<double>(collective->bytes.count) : 0;
  };
  double most = gathered(first);
  for (const Segment& step : steps) most = std::max(most, gathered(step.collective));
  return most;
}

/// Returns what an operation makes of its result's gradient for the one before it; 0: hands it on.
double gradient_made(const Operation& operation) {
  double made = bytes_gathered(operation.input_gradient_collective, operation.input_gradient_steps);
  for (const Work& work : operation.input_gradient)
    made = std::max(made, static_cast<double>(work.written.count));
  return made;
}

/// Tells whether it writes what it makes over what it has saved.
bool works_in_place(const Operation& operation) {
  return std::ranges::any_of(operation.input_gradient,
                             [](const Work& work) { return work.kernel == Kernel::fused_loss; });
}

/// Tells whether the operations of such a layer hand gradients on inside it. The other layers of a
/// network are one operation each.
bool holds_gradients(LayerKind kind) {
  return kind == LayerKind::block || kind == LayerKind::tower || is_behind_blocks(kind);
}

/// The most that a backward pass holds above what it finds: gradients on their way, and operands
/// gathered again, less what the operations that are through have given back.
double gradients_beyond_stash(const LayerEnds& ends, const Operations& operations) {
  double received = ends.output, given_back = 0, most = 0;
  for (size_t k = operations.size(); k-- > 0;) {
    const double made = gradient_made(operations[k]);
    const double gathered = k > 0 ? bytes_gathered(operations[k - 1].forward_collective,
                                                   operations[k - 1].forward_steps)
                                  : 0;
    const double added = works_in_place(operations[k]) ? 0 : made;
    most = std::max(most, ends.around + received + added + gathered - given_back);
    given_back += held(operations[k]);
    if (made > 0) received = made;
  }
  return most;
}

}  // namespace

Layer assemble(const LayerEnds& ends, const Operations& operations, const Recompute& recompute) {
  Layer layer;
  layer.name = ends.name;
  layer.kind = ends.kind;
  layer.output = whole_bytes(ends.output);
  double stash = ends.input, leaves = ends.leaves, transient = 0, reclaimable = 0;
  Again repeated(recompute);
  for (const Operation& operation : operations) {
    count(layer, operation);
    extend(layer.forward, operation.forward, operation.forward_collective, operation.captured);
    extend(layer.forward, operation.forward_steps);
    const bool again = repeated.of(operation);
    const double kept = repeated.kept(operation, again);
    stash += kept;
    leaves += std::min(operation.leaves, kept);
    reclaimable += operation.reclaimable;
    transient += std::max(held(operation) - kept, 0.0);
    if (!again) continue;
    extend(layer.recompute, operation.forward, operation.forward_collective, operation.captured);
    extend(layer.recompute, operation.forward_steps);
  }
  for (const Operation& operation : operations | std::views::reverse) {
    extend(layer.input_gradient, operation.input_gradient, operation.input_gradient_collective,
           operation.captured);
    extend(layer.input_gradient, operation.input_gradient_steps);
    extend(layer.weight_gradient, operation.weight_gradient, std::nullopt, false);
    extend(layer.weight_gradient, operation.weight_gradient_steps);
  }
  open_graphs(layer.forward);
  open_graphs(layer.input_gradient);
  layer.stash = whole_bytes(stash);
  layer.leaves = whole_bytes(leaves);
  layer.passing.reclaimable = whole_bytes(reclaimable);
  if (holds_gradients(ends.kind)) transient += gradients_beyond_stash(ends, operations);
  layer.passing.transient = whole_bytes(transient);
  return layer;
}

void open_graphs(Segments& segments) {
  bool inside = false;
  for (Segment& segment : segments) {
    for (Work& work : segment.kernels) {
      const bool captured = work.captured != Captured::no;
      if (captured && !inside) work.captured = Captured::opens;
      inside = captured;
    }
    if (segment.collective) inside = inside && segment.captured;
  }
}

void append(Operations& operations, Operations more) {
  std::ranges::move(more, std::back_inserter(operations));
}

}  // namespace pipewright
