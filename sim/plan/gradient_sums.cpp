// Gradients are sums over micro-batches. A product may add its result to the sum: it reads and
// writes 2 g W bytes then, W being a device's trained weights and g the bytes of a sum. That is
// what layers have. Where products cannot, they write their result in the weights' type, e bytes
// each, and a kernel adds it. What it moves beyond such products, in bytes a micro-batch:
//   apart  2 e W          the kernel reads the result and the sum, and writes the sum
//   cast   (2 e + 2 g) W  one more kernel writes the result in fp32 first
//
//   Megatron-LM  apart until 27 September 2022 (07916bf245) with 16 bits in the sums, and until 13
//                February 2022 (83b1e42f30) with fp32: megatron/model/distributed.py, param_hook.
//                Where no framework is named, unfused attention says that it is of that time. In
//                memory all years are alike: that stages kept what they had sent until January 2022
//                is left out.
//   DeepSpeed    apart in fp16, by PyTorch's autograd. Cast in bf16: update_hp_grads of
//                deepspeed/runtime/bf16_optimizer.py, in its releases since 0.6.2 and in its
//                branch bf16-updates of 18 February 2022 (fb0dc00f8).
//   torchtitan   apart where weights stay whole for all micro-batches of a pipeline:
//                torch/distributed/_composable/fsdp/_fsdp_param.py,
//                accumulate_unsharded_grad_if_needed.
//   autocast     apart in fp32, 3 g W, by PyTorch's autograd: products write 16 bits, which are
//   cast
//                (sim/workload/transformer/autocast.cpp). Layers have no sum then.
//   nanotron     apart; sim/workload/transformer/shards.cpp has it.
// Where gradients are reduced with every micro-batch (zero: 3, and DeepSpeed's zero: 2) there is no
// such sum. Nor is there one where an iteration has one micro-batch.
//
// Left out: the first micro-batch of autograd's sums, which is kept and not added; the host's part.
// Wrong for: a Megatron-LM of later years whose attention is unfused, where it is not named.
#include "plan/gradient_sums.hpp"

#include "base/units.hpp"
#include "workload/model/model.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

/// Returns the bytes that a weight's gradient moves in a micro-batch beyond its product's.
double extra_bytes(const Experiment& e) {
  if (e.autocast) return 3 * element_bytes(e.gradients);
  const bool half = e.precision == DType::fp16 || e.precision == DType::bf16;
  const bool of_2022 = e.attention == AttentionChoice::unfused && half;
  const double apart = 2 * element_bytes(e.precision);
  switch (e.framework) {
    case Framework::megatron:
      return 0;
    case Framework::megatron_2022:
      return half && element_bytes(e.gradients) == 2 ? apart : 0;
    case Framework::megatron_2021:
      return half ? apart : 0;
    case Framework::deepspeed:
    case Framework::deepspeed_0_5:
    case Framework::deepspeed_0_4:
      if (e.parallel.zero >= 2 || !half) return 0;
      if (e.precision == DType::bf16) return apart + 2 * element_bytes(e.gradients);
      return of_2022 ? apart : 0;
    case Framework::torchtitan:
    case Framework::fsdp2:
      return e.parallel.zero == 2 ? 2 * element_bytes(DType::bf16) : 0;
    case Framework::torch:
    case Framework::nanotron:
    case Framework::jax:
      return 0;
  }
  return 0;
}

bool has_sums(const Experiment& e) {
  const int64_t at_once = int64_t{e.batch.micro} * e.parallel.data;
  return e.model && e.model->has_tokens() && e.parallel.zero < 3 && e.batch.global > at_once;
}

void append(Segments& pass, const Work& work) {
  if (pass.empty() || pass.back().collective) {
    Segment next;
    if (!pass.empty()) {
      next.part = pass.back().part;
      next.chain = pass.back().chain;
    }
    pass.push_back(next);
  }
  pass.back().kernels.push_back(work);
}

}  // namespace

void add_gradient_sums(const Experiment& experiment, std::vector<Layer>& layers) {
  const double bytes = has_sums(experiment) ? extra_bytes(experiment) : 0;
  if (bytes == 0) return;
  for (Layer& layer : layers) {
    const double moved = bytes * layer.trained.value_or(layer.device_parameters);
    if (moved == 0) continue;
    append(layer.weight_gradient, {.kernel = Kernel::elementwise,
                                   .dtype = experiment.precision,
                                   .direction = Direction::weight_gradient,
                                   .read = whole_bytes(moved / 2),
                                   .written = whole_bytes(moved / 2)});
  }
}

}  // namespace pipewright
