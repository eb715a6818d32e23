// Blocks of 128 queries of one head are dealt out to P processors of rate r each. With d numbers in
// a head, s tokens and F FLOPs in all, of which softmax adds (1 + x / d):
//   work    = F (1 + x / d) / (r P)                 all blocks, evenly
//   longest = 4 128 s d (1 + x / d) / r             the last block, which sees all keys
//   average = work P / blocks
//   T0 = launch + (((work^4 + (l longest)^4)^(1/4) + t average)^4 + (bytes / (f B))^4)^(1/4)
// times a correction known at measured shapes (point_field.cpp). Corrections are alike for shapes
// with about as many heads in all (batch x heads), tokens, and query heads to a key head; those of
// another head dimension are far.
#include "cost/measured_attention.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/required.hpp"
#include "base/units.hpp"

namespace pipewright {
namespace {

constexpr double query_tile = 128;

/// Sizes are batch, heads, kv_heads, head_dim, sequence.
Place place(const std::array<int64_t, 5>& sizes) {
  const auto octaves = [](int64_t n) { return std::log2(static_cast<float>(n)); };
  const float batch = octaves(sizes[0]), heads = octaves(sizes[1]);
  const float shared = heads - octaves(sizes[2]);
  return {(batch + heads) / 2, batch / 8, shared / 2, 3 * octaves(sizes[3]), octaves(sizes[4]) / 2};
}

/// Returns what near shapes share, and what a region of shapes shares, eight times as far.
Likeness attention_likeness() {
  Place near{}, far{};
  std::fill_n(near.begin(), 5, 1.F);
  std::fill_n(far.begin(), 5, 1.F / 8);
  return {.parts = {{0.5F, near}, {0.5F, far}}, .noise = 0.05F, .knee = 0.05F, .nearness = near};
}

double smooth_greatest(double a, double b) {
  a *= a, b *= b;
  return std::sqrt(std::sqrt(a * a + b * b));
}

}  // namespace

AttentionShape causal_forward(const std::array<int64_t, 5>& sizes) {
  AttentionShape shape{.batch = as_double(sizes[0]),
                       .heads = as_double(sizes[1]),
                       .kv_heads = as_double(sizes[2]),
                       .tokens = as_double(sizes[4]),
                       .head_dim = as_double(sizes[3])};
  const double rows = shape.batch * shape.tokens * shape.head_dim;
  shape.flops = 2 * rows * shape.heads * (shape.tokens + 1);
  shape.bytes =
      2 * rows * 2 * (shape.heads + shape.kv_heads) + 4 * rows / shape.head_dim * shape.heads;
  return shape;
}

double attention_seconds(const AttentionShape& shape, const Device& device, DType dtype,
                         const AttentionConstants& constants) {
  const FlopRate peak = required(device.peak_at(dtype), "measured on a device without a peak");
  ensure(device.processors > 0, "measured on a device without processors");
  const double processors = device.processors;
  const double rate = constants.rate * peak.flops_per_s / processors;
  const double with_softmax = 1 + constants.softmax / shape.head_dim;
  const double work = shape.flops * with_softmax / (rate * processors);
  const double blocks = shape.batch * shape.heads * std::ceil(shape.tokens / query_tile);
  // A pass of more FLOPs than the forward one has as much longer blocks.
  const double pairs = 2 * shape.batch * shape.heads * shape.tokens * shape.tokens * shape.head_dim;
  const double longest =
      4 * query_tile * shape.tokens * shape.head_dim * with_softmax / rate * (shape.flops / pairs);
  const double compute = smooth_greatest(work, constants.longest * longest) +
                         constants.tail * work * processors / blocks;
  const double memory = shape.bytes / (constants.memory * device.memory_bandwidth.bytes_per_s);
  return constants.launch_s + smooth_greatest(compute, memory);
}

MeasuredAttention::MeasuredAttention(const AttentionConstants& constants, const Device& measured_on,
                                     const PointTable& points)
    : constants_(constants),
      field_(points, place, attention_likeness(),
             [measured_on, constants, dtype = points.dtype](const Sample& s) {
               return std::log(s.seconds / attention_seconds(causal_forward(s.sizes), measured_on,
                                                             dtype, constants));
             }) {}

Estimate MeasuredAttention::factor(const std::array<int64_t, 5>& sizes) const {
  const Carried carried = field_.carry(sizes);
  return {std::exp(carried.value), carried.unknown, field_.covers(sizes)};
}

}  // namespace pipewright
