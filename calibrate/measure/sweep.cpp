#include "calibrate/measure/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "calibrate/measure/model_streams.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::calibration {
namespace {

constexpr Direction all_directions[] = {Direction::forward, Direction::input_gradient,
                                        Direction::weight_gradient};

struct Grid {
  DType dtype;
  std::vector<int64_t> widths, rows;   ///< n and k; m
  double most_flops;                   ///< of a product
  std::vector<int64_t> elements;       ///< of streaming kernels
  std::vector<int64_t> tokens, heads;  ///< of attention
  int64_t head_dim;
};

Grid grid_of(const SweepOptions& o) {
  if (o.gpu) {
    return {.dtype = DType::bf16,
            .widths = o.quick ? std::vector<int64_t>{1024, 2048, 4096, 8192}
                              : std::vector<int64_t>{512, 1024, 1536, 2048, 3072, 4096, 5120, 6144,
                                                     8192, 12288},
            .rows = o.quick ? std::vector<int64_t>{128, 512, 1024, 4096}
                            : std::vector<int64_t>{64, 128, 256, 512, 768, 1024, 1536, 2048, 3072,
                                                   4096, 6144, 8192},
            .most_flops = o.quick ? 1e12 : 1e13,
            .elements = {1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28},
            .tokens = {256, 1024, 2048},
            .heads = {8, 16},
            .head_dim = 64};
  }
  return {.dtype = DType::fp32,
          .widths = o.quick ? std::vector<int64_t>{64, 128, 192, 256, 384, 512, 768}
                            : std::vector<int64_t>{32, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
                                                   1536, 2048},
          .rows = o.quick ? std::vector<int64_t>{32, 128, 256, 384, 512}
                          : std::vector<int64_t>{16, 32, 64, 128, 192, 256, 384, 512, 768, 1024},
          .most_flops = o.quick ? 2.5e8 : 2e9,
          .elements = {1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22},
          .tokens = {32, 128, 256},
          .heads = {2, 4},
          .head_dim = 32};
}

void add_products(const Grid& grid, std::vector<Point>& points) {
  size_t pair = 0;
  for (const int64_t n : grid.widths) {
    for (const int64_t k : grid.widths) {
      ++pair;
      for (const int64_t m : grid.rows) {
        if (2.0 * double(m) * double(n) * double(k) > grid.most_flops) continue;
        // Gradients of every third pair: they are held beside the forward product of their shape.
        for (const Direction direction : all_directions)
          if (direction == Direction::forward || pair % 3 == 0)
            points.push_back({"gemm", direction, grid.dtype, {m, n, k}});
      }
    }
  }
}

void add_streaming(const Grid& grid, std::vector<Point>& points) {
  const auto add = [&](const char* kernel, Direction direction, std::vector<int64_t> sizes) {
    points.push_back({kernel, direction, DType::fp32, std::move(sizes)});
  };
  for (const int64_t elements : grid.elements) {
    for (const char* kernel : {"add", "adam", "copy", "upload", "download"})
      add(kernel, Direction::forward, {elements});
    for (const Direction direction : {Direction::forward, Direction::input_gradient}) {
      for (const char* kernel : {"gelu", "swiglu", "dropout"}) add(kernel, direction, {elements});
      if (elements < 1 << 14) continue;
      for (const char* kernel : {"layernorm", "rmsnorm", "softmax"})
        add(kernel, direction, {elements / 1024, 1024});
      add("rotary", direction, {elements / 1024, 16, 64});
    }
  }
}

/// Products of an attention that stores its scores: queries and keys of one head each.
void add_batches(const Grid& grid, std::vector<Point>& points) {
  for (const int64_t tokens : grid.tokens)
    for (const int64_t heads : grid.heads)
      points.push_back(
          {"gemm_batched", Direction::forward, grid.dtype, {heads, tokens, tokens, grid.head_dim}});
}

void add_attention(const Grid& grid, std::vector<Point>& points) {
  for (const int64_t tokens : grid.tokens)
    for (const int64_t heads : grid.heads)
      for (const Direction direction : {Direction::forward, Direction::input_gradient})
        points.push_back({"attention", direction, DType::fp32, {1, tokens, heads, grid.head_dim}});
}

/// Products of e4m3 numbers with results in bf16.
void add_fp8(bool quick, std::vector<Point>& points) {
  const std::vector<int64_t> widths =
      quick ? std::vector<int64_t>{2048, 4096, 8192} : std::vector<int64_t>{1024, 2048, 4096, 8192};
  const std::vector<int64_t> rows =
      quick ? std::vector<int64_t>{1024, 4096} : std::vector<int64_t>{256, 1024, 4096, 8192};
  for (const int64_t n : widths)
    for (const int64_t k : widths)
      for (const int64_t m : rows)
        points.push_back({"gemm", Direction::forward, DType::fp8, {m, n, k}});
}

/// Attention of language models and convolutions of ResNet-50. Few: cuDNN compiles a kernel for
/// each.
void add_fused(bool quick, std::vector<Point>& points) {
  const auto both = [&](const char* kernel, const std::vector<int64_t>& sizes) {
    for (const Direction direction : {Direction::forward, Direction::input_gradient})
      points.push_back({kernel, direction, DType::bf16, sizes});
  };
  const std::vector<int64_t> lengths =
      quick ? std::vector<int64_t>{1024, 4096} : std::vector<int64_t>{512, 1024, 2048, 4096};
  for (const int64_t tokens : lengths) {
    both("attention", {1, tokens, 16, 128});
    both("attention_grouped", {1, tokens, 32, 8, 128});
    if (quick) continue;
    both("attention", {4, tokens, 16, 128});
    both("attention", {2, tokens, 16, 64});
  }
  std::vector<std::vector<int64_t>> convolutions = {
      {32, 56, 56, 64, 64, 3, 1}, {32, 14, 14, 256, 256, 3, 1}, {32, 56, 56, 64, 256, 1, 1}};
  if (!quick)
    for (const std::vector<int64_t>& more :
         std::vector<std::vector<int64_t>>{{32, 28, 28, 128, 128, 3, 1},
                                           {32, 7, 7, 512, 512, 3, 1},
                                           {32, 56, 56, 256, 512, 1, 2},
                                           {32, 14, 14, 1024, 256, 1, 1}})
      convolutions.push_back(more);
  for (const std::vector<int64_t>& sizes : convolutions)
    for (const Direction direction : all_directions)
      points.push_back({"convolution", direction, DType::bf16, sizes});
}

void add_what_all_need(const Grid& grid, std::vector<Point>& points) {
  points.push_back({"launch", Direction::forward, DType::fp32, {}});
  for (const int64_t elements : grid.elements)
    points.push_back({"copy", Direction::forward, DType::fp32, {elements}});
}

/// Narrow numbers stand two in the place of one; tensor cores take 8-bit ones by sixteens.
bool can_multiply(const Work& work, const SweepOptions& options) {
  const int64_t sizes = work.shape[1] | work.shape[2] | work.shape[3];
  if (work.dtype == DType::fp32) return true;
  if (!options.gpu) return false;
  return (work.dtype == DType::bf16 && sizes % 2 == 0) ||
         (work.dtype == DType::fp8 && options.fp8 && sizes % 16 == 0);
}

/// Returns the heads of keys, from what the kernel reads: queries (of gradients results and their
/// gradients too), then two of each key head.
int64_t kv_heads_of(const Work& work) {
  const auto [batch, heads, tokens, head_dim] = work.shape;
  const double head = double(batch * tokens * head_dim) * element_bytes(work.dtype);
  if (head <= 0) return heads;
  const double others = work.direction == Direction::forward ? double(heads) : 3 * double(heads);
  const double keys = (double(work.read.count) / head - others) / 2;
  return std::clamp<int64_t>(std::llround(keys), 1, heads);
}

/// Returns the point of an attention: by cuDNN where that is there, with numbers of 16 bits in
/// bf16.
Point attention_point(const Work& work, const SweepOptions& options) {
  const auto [batch, heads, tokens, head_dim] = work.shape;
  const Direction direction =
      work.direction == Direction::forward ? Direction::forward : Direction::input_gradient;
  const bool narrow = work.dtype == DType::bf16 || work.dtype == DType::fp16;
  const DType dtype = narrow && options.cudnn ? DType::bf16 : DType::fp32;
  const int64_t kv_heads = kv_heads_of(work);
  if (dtype == DType::bf16 && kv_heads < heads && heads % kv_heads == 0)
    return {"attention_grouped", direction, dtype, {batch, tokens, heads, kv_heads, head_dim}};
  return {"attention", direction, dtype, {batch, tokens, heads, head_dim}};
}

/// The point of one work, unless nothing like it is measured.
void add_work(const Work& work, const SweepOptions& options, std::set<Point>& points) {
  const auto [batch, first, second, third] = work.shape;
  if (work.kernel == Kernel::gemm && batch == 1 && can_multiply(work, options))
    points.insert({"gemm", work.direction, work.dtype, {first, second, third}});
  if (work.kernel == Kernel::gemm && batch > 1 && can_multiply(work, options) &&
      work.dtype != DType::fp8)
    points.insert({"gemm_batched", work.direction, work.dtype, {batch, first, second, third}});
  if (work.kernel == Kernel::attention && batch > 0) points.insert(attention_point(work, options));
}

}  // namespace

std::vector<Point> general_sweep(const SweepOptions& options) {
  const Grid grid = grid_of(options);
  std::vector<Point> points = {{"launch", Direction::forward, DType::fp32, {}}};
  add_products(grid, points);
  add_streaming(grid, points);
  add_attention(grid, points);
  add_batches(grid, points);
  if (options.fp8) add_fp8(options.quick, points);
  if (options.cudnn) add_fused(options.quick, points);
  return points;
}

std::vector<Point> sweep_for(const Program& program, const SweepOptions& options,
                             const TransformerShape* shape) {
  std::set<Point> needed;
  const Grid grid = grid_of(options);
  for (const Work& work : program.works) {
    add_work(work, options, needed);
    if (shape) add_streams(work, *shape, grid.elements.back(), needed);
  }
  std::vector<Point> points(needed.begin(), needed.end());
  add_what_all_need(grid, points);
  return points;
}

}  // namespace pipewright::calibration
