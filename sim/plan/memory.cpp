// Bytes for each parameter, P of them on a device:
//   weights      their precision (under fp8 and nvfp4 bf16, unless they are stored narrower)
//   gradients    the type they are accumulated in
//   optimizer    a master copy in fp32 where weights are narrower (4; its remainders 2), and Adam,
//                AdamW, LAMB two moments (8; less in narrower formats), momentum one (4), SGD none;
//                Adafactor's factored moment is of the order P / hidden and counted as nothing;
//                Shampoo and SOAP keep products of gradients beside two (preconditioners.cpp)
// Frozen weights have neither gradients nor optimizer state. Weights of products may be stored in 8
// or 4 bits. ZeRO++'s second copy of the weights is cut over near devices.
// With ZeRO (arXiv 1910.02054) stage 1 divides the optimizer state by the sharding devices, 2 the
// gradients, 3 the weights. Buffers: stage 2 holds the whole gradient of one layer while it is
// reduced, stage 3 of two; stage 3 the gathered weights of as many neighbouring layers as lowering
// lets be there at once, one more than are fetched ahead; the last and the first are neighbours.
// Under a pipeline gradients are cut once all micro-batches are through (PyTorch's stages;
// DeepSpeed refuses stage 2 there). Weights on the host are on the device in as many neighbouring
// layers, too; optimizer state there takes nothing of the device. The embedding's weights, tied to
// the head, are held once more where the stages differ. DeepSpeed's BF16_Optimizer adds each pass's
// bf16 gradients to those in fp32 and drops them only before the next pass: both are held, 2 + 4.
// Its first version, of February 2022 (deepspeed-0.5), on which BLOOM was tried, cut the moments
// only: each device had all weights in fp32. A stage of its pipeline engine keeps its output for
// the backward pass; Megatron-LM gives it up once sent. Megatron-LM's products add weight gradients
// to those in fp32 themselves, but hand PyTorch one in the weights' type, never written:
// Transformer Engine (from 2.3, of 2025; module/base.py, get_dummy_wgrad) keeps one for each shape
// of a block's weights. A head has its own while it runs. PyTorch's DDP copies gradients into
// buckets and back, so that after the last backward pass both are there (gradient_as_bucket_view is
// off; torch/csrc/distributed/c10d/reducer.cpp). Left out: fp8 copies of weights, the fp32 copy of
// fp16 gradients during the step, fragmentation.
#include "plan/memory.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "plan/muon.hpp"
#include "plan/preconditioners.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

ParameterCount count_of(const Layer& layer, bool counts_tied) {
  const double tied = counts_tied ? layer.tied.device_parameters : 0;
  return {layer.device_parameters - layer.device_expert_parameters + tied,
          layer.device_expert_parameters};
}

ParameterCount trained_of(const Layer& layer, bool counts_tied) {
  if (!layer.trained) return count_of(layer, counts_tied);
  return {.own = *layer.trained - layer.trained_experts, .experts = layer.trained_experts};
}

ParameterCount narrow_of_layer(const Layer& layer, bool /*counts_tied*/) {
  const double experts = std::min(layer.device_expert_parameters, layer.narrow_parameters);
  return {.own = layer.narrow_parameters - experts, .experts = experts};
}

bool embeds(std::span<const Layer> stage) { return std::ranges::any_of(stage, has_embedding); }

using Count = ParameterCount (*)(const Layer& layer, bool counts_tied);

/// Returns a count for every layer. A stage holds the embedding's weights once, however many of its
/// layers read them.
std::vector<ParameterCount> counts_by(std::span<const Layer> stage, Count count) {
  bool counts_tied = !embeds(stage);
  std::vector<ParameterCount> counts;
  for (const Layer& layer : stage) {
    counts.push_back(count(layer, counts_tied));
    counts_tied = counts_tied && layer.tied.device_parameters == 0;
  }
  return counts;
}

ParameterCount sum_of(std::span<const Layer> stage, Count count) {
  ParameterCount sum;
  for (const ParameterCount& one : counts_by(stage, count)) {
    sum.own += one.own;
    sum.experts += one.experts;
  }
  return sum;
}

std::vector<double> parameters_by(std::span<const Layer> stage, Count count) {
  std::vector<double> parameters;
  for (const ParameterCount& one : counts_by(stage, count)) parameters.push_back(one.all());
  return parameters;
}

/// The parameters of `count` neighbouring layers, at most.
double largest_neighbours(std::vector<double> layers, size_t count) {
  std::erase(layers, 0.0);
  count = std::min(count, layers.size());
  double largest = 0;
  for (size_t first = 0; first < layers.size(); ++first) {
    double sum = 0;
    for (size_t k = 0; k < count; ++k) sum += layers[(first + k) % layers.size()];
    largest = std::max(largest, sum);
  }
  return largest;
}

/// Returns the bytes of one parameter's gradient besides what passes add up in.
double passing_gradient_bytes(const StateOptions& options) {
  const double weight = weight_bytes(options);
  const bool both = !is_megatron(options.framework) && options.zero < 3 &&
                    weight < element_bytes(options.gradients);
  return both ? weight : 0;
}

bool masters_are_whole(const StateOptions& options) {
  return options.framework == Framework::deepspeed_0_5 && options.precision == DType::bf16 &&
         options.zero == 1;
}

/// Returns the bytes of the gradients that a block's products hand to PyTorch, one for each shape
/// of weights.
double unwritten_gradients(std::span<const Layer> stage, const StateOptions& options) {
  if (!is_megatron(options.framework) || options.zero > 1) return 0;
  if (weight_bytes(options) >= element_bytes(options.gradients)) return 0;
  std::set<std::pair<int64_t, int64_t>> shapes;
  for (const Layer& layer : stage)
    for (const Segment& segment : layer.weight_gradient)
      for (const Work& work : segment.kernels)
        if (has_matrices(layer.kind) && work.kernel == Kernel::gemm)
          shapes.emplace(work.shape[1], work.shape[2]);
  double numbers = 0;
  for (const auto& [rows, columns] : shapes)
    numbers += static_cast<double>(rows) * static_cast<double>(columns);
  return weight_bytes(options) * numbers;
}

/// Tells whether gradients are copied into the buckets that DDP reduces.
bool has_buckets(const StateOptions& options) {
  return options.framework == Framework::torch && options.zero < 2 && options.shards > 1;
}

/// Returns what a device holds of it for `count`.
double held_optimizer_bytes(const ParameterCount& count, const StateOptions& options) {
  const double cut = count.cut(options, options.zero >= 1).all();
  const double rest = masters_are_whole(options) ? count.all() - cut : 0;
  return optimizer_bytes(options) * cut + master_bytes(options) * rest;
}

/// Muon's of what is in no matrix of a block.
double second_moments(std::span<const Layer> stage, const StateOptions& options) {
  if (options.optimizer != Optimizer::muon) return 0;
  return bytes_of(options.moments) * beside_matrices(stage).cut(options, options.zero >= 1).all();
}

/// Returns the bytes of the weights of one device. `cuts`: they are cut over replicas.
double held_weight_bytes(std::span<const Layer> stage, const StateOptions& options, bool cuts) {
  const double weight = weight_bytes(options), less = weight - narrow_bytes(options);
  const ParameterCount count = count_of(stage), narrow = narrow_of(stage);
  const auto bytes = [&](double all, double narrow_ones) {
    return weight * all - less * narrow_ones;
  };
  const double held = bytes(count.cut(options, cuts).all(), narrow.cut(options, cuts).all());
  if (options.second_shards == 0) return held;
  const double second =
      options.second_experts ? bytes(count.all(), narrow.all()) : bytes(count.own, narrow.own);
  return held + second / static_cast<double>(options.second_shards);
}

}  // namespace

ParameterCount ParameterCount::cut(const StateOptions& options, bool cuts) const {
  if (!cuts) return *this;
  return {own / static_cast<double>(options.shards),
          experts / static_cast<double>(options.expert_shards)};
}

ParameterCount count_of(std::span<const Layer> stage) { return sum_of(stage, count_of); }
ParameterCount trained_of(std::span<const Layer> stage) { return sum_of(stage, trained_of); }
ParameterCount narrow_of(std::span<const Layer> stage) { return sum_of(stage, narrow_of_layer); }

MemoryUse static_memory(std::span<const Layer> stage, const StateOptions& options) {
  const ParameterCount trained = trained_of(stage);
  const double gradient = element_bytes(options.gradients);
  const bool fully = options.zero >= 3;
  const bool cuts_gradients = options.zero >= 2 && !options.whole_gradients;
  const bool gathers = fully && !options.whole_weights;
  const double weights = options.weights_on_host ? 0 : held_weight_bytes(stage, options, gathers);
  double buffers = unwritten_gradients(stage, options);
  if (cuts_gradients)
    buffers += gradient * largest_neighbours(trained_parameters(stage), fully ? 2 : 1);
  if (gathers || options.weights_on_host) {
    const auto gathered = static_cast<size_t>(options.prefetch) + 1;
    buffers += largest_neighbours(layer_weight_bytes(stage, options), gathered);
  }
  MemoryUse use;
  use.weights = whole_bytes(weights);
  use.weight_versions = whole_bytes(weights) * (options.weight_versions - 1);
  use.gradients = whole_bytes(gradient * trained.cut(options, cuts_gradients).all() +
                              passing_gradient_bytes(options) * trained.all());
  if (!options.optimizer_on_host)
    use.optimizer =
        whole_bytes(held_optimizer_bytes(trained, options) + second_moments(stage, options) +
                    preconditioner_bytes(stage, options));
  if (has_buckets(options)) buffers += gradient * trained.all();
  use.buffers = whole_bytes(buffers);
  for (const Layer& layer : stage) use.reclaimable += layer.passing.reclaimable;
  return use;
}

std::vector<double> layer_weight_bytes(std::span<const Layer> stage, const StateOptions& options) {
  const double weight = weight_bytes(options), less = weight - narrow_bytes(options);
  std::vector<double> bytes = layer_parameters(stage);
  for (size_t k = 0; k < bytes.size(); ++k)
    bytes[k] = weight * bytes[k] - less * stage[k].narrow_parameters;
  return bytes;
}

std::vector<double> layer_parameters(std::span<const Layer> stage) {
  return parameters_by(stage, count_of);
}

std::vector<double> trained_parameters(std::span<const Layer> stage) {
  return parameters_by(stage, trained_of);
}

Work weight_prediction(std::span<const Layer> stage, const StateOptions& options,
                       bool by_difference) {
  const double count = trained_of(stage).all();
  const double weights = weight_bytes(options) * count;
  // Without a state, and with RMSProp's, the last gradients are a part of the update.
  const bool reads_gradients =
      moments_of(options.optimizer) == 0 || options.optimizer == Optimizer::rmsprop;
  const double gradients = reads_gradients ? element_bytes(options.gradients) * count : 0;
  const double source = master_bytes(options) > 0 ? 4 * count : weights;
  const double change = by_difference ? weights : moment_bytes(options) * count + gradients;
  return {.kernel = Kernel::optimizer,
          .dtype = DType::fp32,
          .read = whole_bytes(source + change),
          .written = whole_bytes(weights),
          .origin = {.purpose = Purpose::prediction}};
}

GradientBytes gradient_bytes(std::span<const Layer> stage, DType gradients) {
  const ParameterCount count = trained_of(stage);
  const double element = element_bytes(gradients);
  return {whole_bytes(element * count.all()), whole_bytes(element * count.experts)};
}

}  // namespace pipewright
