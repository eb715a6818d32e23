// Turns what was measured into what a training run asks for.
//
//   time = T0(work, rate x steady) exp(correction at the measured shape)
// T0 is the fitted physics (measured_gemm.cpp, measured_attention.cpp) of the work as it is; the
// correction that of the forward pass of its shape, which is all that was measured:
// - On another device of the family rates are in proportion to peak and to what power leaves of it
//   (roofline.cpp), bandwidth to the memory's. The same chip under another limit runs at the clock
//   that P = P0 + c f^3 leaves it, P0 = 130 W of 700: so an H100's clock follows its power by 6 %
//   (workloads/validation/README.md, "Known causes: one H100, measured").
// - `steady` of the rate is left in a run of minutes (cost_model.hpp); memory is not slowed.
// - What the benchmark's launch takes longer than the device's shortest kernel is its host's, which
//   runs ahead of the device in training.
// - Casts to a narrow type are ops of their own in a training run, not part of its products.
// - Input gradients run as forward products of their shape; weight gradients, which add to sums in
//   fp32, at 0.93 of the rate, and read the sums (as in roofline.cpp).
// - Attention was measured in inference engines, which also copy keys and values to a cache: it
//   reaches the bandwidth of products instead. Training's kernel runs at `attention_forward` of the
//   measured rate. Its backward pass has its own FLOPs and bytes and runs at `attention_backward`
//   of the forward rate. Heads of more than 128 numbers, of which none were measured, run at
//   `attention_wide` of the rate of those.
// - Where training's own fused attention was measured, it follows that (fused_attention.hpp) in
// place
//   of all this.
// - Products in batches have no correction: none were measured.
// - What streams follows the line of its kind (measured_stream.hpp), its bandwidth in proportion to
//   the memory's, where the profile has one; else the roofline.
// No time is below what peak and memory bandwidth allow.
#include "cost/profile_cost.hpp"

#include <algorithm>
#include <cmath>

#include "base/units.hpp"
#include "cost/flash2.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

double least_seconds(const Work& work, const Device& device) {
  const double compute = work.flops / peak_for(device, work.dtype).flops_per_s;
  const double memory =
      as_double((work.read + work.written).count) / device.memory_bandwidth.bytes_per_s;
  return std::max(compute, memory);
}

double on_device(double launch_s, const Device& device) {
  return std::min(launch_s, in_seconds(device.launch_overhead));
}

/// Half the errors are below the median of normal ones, which is 0.674 standard deviations.
double deviation(const std::vector<HeldOutError>& held_out) {
  return held_out.empty() ? 0 : held_out.front().median / 0.674;
}

/// Key and value heads, which Work does not name, from what the kernel reads of them.
int64_t kv_heads(const Work& work) {
  const auto [batch, heads, tokens, head_dim] = work.shape;
  const double element = element_bytes(work.dtype);
  const double head = as_double(batch * tokens * head_dim) * element;
  if (head <= 0) return std::max<int64_t>(heads, 1);
  const double count = as_double(work.read.count) / head - as_double(heads);
  return std::clamp<int64_t>(std::llround(count / 2), 1, std::max<int64_t>(heads, 1));
}

bool is_attention(const Work& work) {
  const bool half = work.dtype == DType::bf16 || work.dtype == DType::fp16;
  return work.kernel == Kernel::attention && half;
}

/// Products in batches were not measured.
bool one_product(const Work& work) {
  const auto [batch, m, n, k] = work.shape;
  return batch == 1 && std::min({m, n, k}) > 0;
}

std::array<int64_t, 5> attention_sizes(const Work& work) {
  const auto [batch, heads, tokens, head_dim] = work.shape;
  return {std::max<int64_t>(batch, 1), std::max<int64_t>(heads, 1), kv_heads(work),
          std::max<int64_t>(head_dim, 1), std::max<int64_t>(tokens, 1)};
}

/// Returns what the rate of heads of `width` numbers has to be multiplied with, where those of 128
/// are known to be other than softmax alone would have them.
double wide_rate(const AttentionRates& rates, int64_t width, double softmax) {
  constexpr double measured_width = 128;
  const auto d = static_cast<double>(width);
  if (!rates.wide || d <= measured_width) return 1;
  return *rates.wide * (1 + softmax / d) / (1 + softmax / measured_width);
}

/// Tells whether all that may differ of two chips' processors is the power that they are given.
bool is_same_chip(const Device& one, const Device& other) {
  return one.peak == other.peak && one.processors == other.processors && one.operating.watts > 0 &&
         other.operating.watts > 0;
}

/// Returns the clock of `device` over that of `measured`, the same chip under another limit.
double clock_ratio(const Device& device, const Device& measured) {
  constexpr double still = 130.0 / 700;  // P0 of an H100, of its limit
  const double least = still * measured.operating.watts;
  const double dynamic = std::max(device.operating.watts - least, device.operating.watts / 10);
  return std::cbrt(dynamic / (measured.operating.watts - least));
}

}  // namespace

double ProfileCost::rate_fraction(const Device& device, DType dtype) const {
  const RooflineConstants constants = roofline_constants();
  if (is_same_chip(device, profile_.device))
    return std::min(clock_ratio(device, profile_.device),
                    constants.most_sustained * constants.steady /
                        sustained_fraction(profile_.device, dtype, constants));
  return sustained_fraction(device, dtype, constants) /
         sustained_fraction(profile_.device, dtype, constants);
}

double ProfileCost::gemm_seconds(const Work& work, const Device& device,
                                 const GemmProfile& family) const {
  const auto [batch, m, n, k] = work.shape;
  const DType dtype = family.model.dtype();
  const double peak = peak_for(device, dtype).flops_per_s * rate_fraction(device, dtype) *
                      profile_.steady_of(dtype);
  const Product product = product_of(work, device, peak, roofline_constants().accumulation);
  GemmConstants constants = family.model.constants();
  constants.launch_s = on_device(constants.launch_s, device);
  constants.cast_bytes = 0;
  const double physics = pipewright::gemm_seconds(product, constants);
  return one_product(work) ? physics * family.model.factor(m, n, k).seconds : physics;
}

double ProfileCost::attention_seconds(const Work& work, const Device& device,
                                      const AttentionProfile& family) const {
  const std::array<int64_t, 5> sizes = attention_sizes(work);
  const DType dtype = family.model.points().dtype;
  AttentionShape shape = causal_forward(sizes);
  shape.flops = work.flops;
  shape.bytes = as_double((work.read + work.written).count);
  AttentionConstants constants = family.model.constants();
  const AttentionRates& rates = profile_.attention_rates;
  constants.rate *= rate_fraction(device, dtype) * profile_.steady_of_attention(dtype) *
                    rates.forward * (work.direction == Direction::forward ? 1 : rates.backward) *
                    wide_rate(rates, work.shape[3], constants.softmax);
  constants.launch_s = on_device(constants.launch_s, device);
  constants.memory = std::max(constants.memory, roofline_constants().tiles.memory_fraction);
  return pipewright::attention_seconds(shape, device, dtype, constants) *
         family.model.factor(sizes).seconds;
}

double ProfileCost::fused_attention_seconds(const Work& work, const Device& device,
                                            const FusedAttentionProfile& fused) const {
  const auto rate_of_one = [](const Device& d) {
    return peak_for(d, DType::bf16).flops_per_s / d.processors;
  };
  const double kept =
      rate_fraction(device, DType::bf16) * rate_of_one(device) / rate_of_one(profile_.device);
  return in_seconds(device.launch_overhead) +
         pipewright::fused_attention_seconds(work, device, fused.constants, kept);
}

double ProfileCost::stream_seconds(const Work& work, const Device& device,
                                   const StreamProfile& stream) const {
  const double memory =
      device.memory_bandwidth.bytes_per_s / profile_.device.memory_bandwidth.bytes_per_s;
  StreamConstants constants = stream.constants;
  constants.latency_s = on_device(constants.latency_s, device);
  constants.bytes_per_s *= memory;
  constants.cached_per_s *= memory;
  return constants.seconds(as_double((work.read + work.written).count)) +
         singles_seconds(work, device, roofline_constants());
}

/// `newest` seconds, or what the older kernel takes that runs.
double ProfileCost::fused_seconds(const Work& work, const Device& device, double newest) const {
  if (fused_ == FusedAttention::fastest) return newest;
  const double launch = in_seconds(device.launch_overhead);
  const double steady = profile_.steady_of_attention(work.dtype);
  const double second = std::max(newest, launch + flash2_seconds(work, device, steady));
  return fused_ == FusedAttention::flash1 ? forerunner(work.direction) * steady * second : second;
}

const AttentionProfile* ProfileCost::attention(const Work& work) const {
  return is_attention(work) && profile_.attention ? &*profile_.attention : nullptr;
}

ProfileCost::Trust ProfileCost::trust(const Work& work, const Device& device) const {
  if (work.in_turn) return trust(one_of(work), device);
  const auto known = [&](bool inside, const std::vector<HeldOutError>& held_out) -> Trust {
    const bool here = inside && device.name == profile_.device.name;
    return {here ? Basis::measured : Basis::extrapolated, deviation(held_out)};
  };
  const auto [batch, m, n, k] = work.shape;
  if (work.kernel == Kernel::gemm)
    if (const GemmProfile* family = profile_.products(work.dtype))
      return known(one_product(work) && family->model.covers(m, n, k), family->held_out);
  if (const FusedAttentionProfile* fused = is_attention(work) ? profile_.fused(work) : nullptr)
    return known(as_double(work.shape[2]) <= fused->most_tokens, fused->held_out);
  if (const AttentionProfile* family = attention(work))
    return known(
        work.direction == Direction::forward && family->model.covers(attention_sizes(work)),
        family->held_out);
  if (const StreamProfile* stream = profile_.stream(work))
    return known(as_double((work.read + work.written).count) <= stream->most_bytes,
                 stream->held_out);
  return {};
}

Time ProfileCost::duration(const Work& work, const Device& device) const {
  if (work.in_turn) return work.kernels() * duration(one_of(work), device);
  const auto no_less = [&](double taken) {
    return seconds(std::max(taken, least_seconds(work, device)));
  };
  if (work.kernel == Kernel::gemm)
    if (const GemmProfile* family = profile_.products(work.dtype))
      return no_less(gemm_seconds(work, device, *family));
  if (const FusedAttentionProfile* fused = is_attention(work) ? profile_.fused(work) : nullptr)
    return no_less(fused_seconds(work, device, fused_attention_seconds(work, device, *fused)));
  if (const AttentionProfile* family = attention(work))
    return no_less(fused_seconds(work, device, attention_seconds(work, device, *family)));
  if (const StreamProfile* stream = profile_.stream(work))
    return no_less(stream_seconds(work, device, *stream));
  return roofline_.duration(work, device);
}

}  // namespace pipewright
