// A roofline with three causes of loss: power, quantisation, launches.
//
//   time = launch + max(compute, bytes / (f B))
//   f = 0.73 in products, 0.8 in streams, 0.5 in permutations of rows, 0.3 in a fused loss
//   sustained rate = peak min(0.93, 0.94 (W / R)^0.36) steady
//
// 0.93 is what newer matrix units reach. A device says otherwise by `reached`: Volta's processors
// cannot copy operands beside their products, and reach 0.87 (topologies/devices).
//
// W is the device's power limit, R its dense peak in the kernel's type in TFLOP/s: the more
// arithmetic a watt has to feed, the lower the clock. A FLOP on 8-bit operands is taken to need
// 1 / sqrt(2) of the power of one on 16-bit operands, and so on. Products are cut in tiles
// (tiles.cpp). What a tile needs to run at full rate, 44 FLOPs a byte on matrix units, is no more
// than rate / B: memory alone feeds a slower device. Fused attention runs at d / (d + 64) of the
// sustained rate, d the head dimension: softmax costs as much as 64 more; blocks of 128 queries
// fill the processors, and the ragged end lasts one block of average length. Input gradients run as
// forward products of their shape; weight gradients, which add to sums in fp32, at 0.93 of the rate
// (SimuMax's measurements on B200).
//
// PyTorch's kernels that read in strides, a row for all, or narrower numbers than they write have
// no vector loads. A processor handles 2.5e9 numbers a second in them, however fast its memory is:
// to fp32 on H100, 134 M numbers in 409 us; with a bias for all rows, 340 us; transposed, 344 us
// (calibrate/profiles/h100-sxm.torch.csv). Processors of other clocks were not measured.
//
// Data: 80 000 forward products in bf16, fitted once over A100, H100, H200, B200 and GB200
// together, and attention (kernel times of github.com/ai-dynamo/aiconfigurator); FlashAttention-2's
// figures for the backward pass on A100; copy and triad bandwidths of A100, H100 and H200
// (stas00/ml-engineering); permutations and the fused loss of Transformer Engine on B200, by the
// bytes that we count too (MooreThreads/SimuMax e691807a7e, configs/system/b200_bf16_ceperm.json
// and simu_tools' benchmark of both). `steady` is explained in cost_model.hpp.
//
// Wrong for: attention kernels older than their device, operands that stay in cache from the kernel
// before.
#include "cost/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "cost/alignment.hpp"
#include "cost/flash2.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

constexpr double query_block = 128;

std::string known_peaks(const Device& device) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < dtype_count; ++i)
    if (device.peak[i]) names.push_back(name_of(static_cast<DType>(i)));
  return names.empty() ? "none at all" : join(names);
}

double sustained_rate(const Work& work, const Device& device, const RooflineConstants& constants) {
  return peak_for(device, work.dtype).flops_per_s *
         sustained_fraction(device, work.dtype, constants);
}

double attention_seconds(const Work& work, const Device& device,
                         const RooflineConstants& constants) {
  const auto [batch, heads, queries, head_dim] = work.shape;
  const double d = static_cast<double>(std::max<int64_t>(head_dim, 1));
  const double work_seconds =
      work.flops * (1 + constants.attention_overhead / d) / sustained_rate(work, device, constants);
  if (device.processors == 0) return work_seconds;
  const double blocks = static_cast<double>(batch) * static_cast<double>(heads) *
                        std::ceil(static_cast<double>(queries) / query_block);
  const double block = work_seconds * device.processors / std::max(blocks, 1.0);
  return std::max(work_seconds, block) + block;
}

double fused_seconds(const Work& work, const Device& device, const RooflineConstants& constants) {
  const double newest = attention_seconds(work, device, constants);
  if (constants.attention == FusedAttention::fastest) return newest;
  const double second = std::max(newest, flash2_seconds(work, device, constants.steady));
  return constants.attention == FusedAttention::flash1
             ? forerunner(work.direction) * constants.steady * second
             : second;
}

/// What streams is bound by memory, but for a scan over tokens, which runs in fp32 beside the
/// matrix units.
double stream_flops_seconds(const Work& work, const Device& device) {
  const auto peak = device.peak_at(work.dtype);
  return peak && work.flops > 0 ? work.flops / peak->flops_per_s : 0;
}

double compute_seconds(const Work& work, const Device& device, const RooflineConstants& constants) {
  switch (work.kernel) {
    case Kernel::gemm:
      return gemm_seconds(work, device, constants);
    case Kernel::attention:
      return fused_seconds(work, device, constants);
    default:
      return stream_flops_seconds(work, device);
  }
}

double memory_seconds(const Work& work, const Device& device, const RooflineConstants& constants) {
  double fraction = constants.stream_bandwidth;
  if (work.kernel == Kernel::gemm) fraction = constants.tiles.memory_fraction;
  if (work.kernel == Kernel::permute) fraction = constants.permute_bandwidth;
  if (work.kernel == Kernel::fused_loss) fraction = constants.loss_bandwidth;
  return static_cast<double>((work.read + work.written).count) /
         (fraction * device.memory_bandwidth.bytes_per_s);
}

}  // namespace

Product product_of(const Work& work, const Device& device, double rate, double accumulation) {
  const auto [batch, m, n, k] = work.shape;
  Product p{.batch = static_cast<double>(batch),
            .m = static_cast<double>(m),
            .n = static_cast<double>(n),
            .k = static_cast<double>(k),
            .processors = static_cast<double>(device.processors)};
  p.rate = rate * aligned_share(work, device) / p.processors;
  p.bandwidth = device.memory_bandwidth.bytes_per_s / p.processors;
  p.operand = element_bytes(work.dtype);
  p.output = static_cast<double>(work.written.count) / std::max(p.batch * p.m * p.n, 1.0);
  if (work.direction == Direction::weight_gradient) {
    p.rate *= accumulation;
    p.output *= 2;
  }
  return p;
}

RooflineConstants roofline_constants() { return {.tiles = {.split_s = 2.7e-6}}; }

FlopRate peak_for(const Device& device, DType dtype) {
  if (const auto peak = device.peak_at(dtype)) return *peak;
  if (const auto peak = device.peak_at(DType::fp32); dtype == DType::tf32 && peak) return *peak;
  throw InputError(fmt::format("device '{}' has no peak for the precision {}; it has {}",
                               device.name, name_of(dtype), known_peaks(device)));
}

double sustained_fraction(const Device& device, DType dtype, const RooflineConstants& constants) {
  if (device.operating.watts <= 0) return constants.sustained_unknown * constants.steady;
  const double width = std::min(1.0, element_bytes(dtype) / 2);
  const double watts_per_tera =
      device.operating.watts / (peak_for(device, dtype).flops_per_s * 1e-12 * std::sqrt(width));
  const double by_power =
      constants.sustained_at_1 * std::pow(watts_per_tera, constants.sustained_exponent);
  const std::optional<double> reached = device.reached[static_cast<size_t>(dtype)];
  return std::min(reached.value_or(constants.most_sustained), by_power) * constants.steady;
}

double gemm_seconds(const Work& work, const Device& device, const RooflineConstants& constants) {
  const double rate =
      peak_for(device, work.dtype).flops_per_s * sustained_fraction(device, work.dtype, constants);
  if (device.processors == 0) return work.flops / (rate * aligned_share(work, device));
  const Product product = product_of(work, device, rate, constants.accumulation);
  TileConstants tiles = constants.tiles;
  tiles.intensity = std::min(tiles.intensity, product.rate / product.bandwidth);
  return product_seconds(product, tiles);
}

double singles_seconds(const Work& work, const Device& device, const RooflineConstants& constants) {
  constexpr double bytes_each = 6;
  if (work.singles <= 0 || device.processors == 0) return 0;
  const double handled = 1 / (constants.singles_per_s * device.processors);
  const double moved =
      bytes_each / (constants.stream_bandwidth * device.memory_bandwidth.bytes_per_s);
  return work.singles * std::max(0.0, handled - moved);
}

Time Roofline::duration(const Work& work, const Device& device) const {
  if (work.kernel == Kernel::fixed) return work.fixed;
  if (work.in_turn) return work.kernels() * duration(one_of(work), device);
  const double busy = std::max(compute_seconds(work, device, constants_),
                               memory_seconds(work, device, constants_)) +
                      singles_seconds(work, device, constants_);
  return device.launch_overhead + seconds(busy);
}

}  // namespace pipewright
