#include "calibrate/measure/model_streams.hpp"

#include <algorithm>

#include "workload/workload_options.hpp"

namespace pipewright::calibration {
namespace {

/// Numbers that a kernel reads and writes for each of its result, forwards and backwards.
struct Ratio {
  double read, written, gradient_read, gradient_written;
};

constexpr Ratio plain_activation{1, 1, 2, 1}, gated_activation{2, 1, 3, 2}, rotation{1, 1, 1, 1};
constexpr Ratio sum{2, 1, 2, 1};
constexpr double adam_bytes = 7 * 4;  // of a weight in fp32: four read, three written

/// Numbers of the result of a kernel that streams as `ratio` says; 0 where `work` is none.
int64_t count_of(const Work& work, const Ratio& ratio) {
  const bool forward = work.direction == Direction::forward;
  const double element = element_bytes(work.dtype);
  const double read = static_cast<double>(work.read.count) / element;
  const double written = static_cast<double>(work.written.count) / element;
  const double count = written / (forward ? ratio.written : ratio.gradient_written);
  const double expected = count * (forward ? ratio.read : ratio.gradient_read);
  return std::abs(read - expected) <= 1 ? static_cast<int64_t>(count) : 0;
}

/// Dropout keeps a byte a number beside its sum.
int64_t dropped(const Work& work) {
  const double element = element_bytes(work.dtype);
  const double read = static_cast<double>(work.read.count);
  const double written = static_cast<double>(work.written.count);
  const bool forward = work.direction == Direction::forward;
  const double count = forward ? read / (2 * element) : written / element;
  const double masked = forward ? written : read;
  return std::abs(masked - count * (element + 1)) <= element ? static_cast<int64_t>(count) : 0;
}

Direction backward_or(const Work& work) {
  return work.direction == Direction::forward ? Direction::forward : Direction::input_gradient;
}

void add(const char* kernel, const Work& work, std::vector<int64_t> sizes,
         std::set<Point>& points) {
  if (std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size > 0; }))
    points.insert({kernel, backward_or(work), DType::fp32, std::move(sizes)});
}

void add_norm(const Work& work, const TransformerShape& shape, std::set<Point>& points) {
  const double numbers = static_cast<double>(work.written.count) / element_bytes(work.dtype);
  const auto count = static_cast<int64_t>(numbers);
  if (count % shape.hidden == 0)
    add(shape.norm == Norm::rmsnorm ? "rmsnorm" : "layernorm", work,
        {count / shape.hidden, shape.hidden}, points);
}

void add_rotary(const Work& work, const TransformerShape& shape, std::set<Point>& points) {
  const int64_t heads = shape.attention.heads + shape.attention.kv_heads,
                width = heads * shape.attention.head_dim;
  const int64_t count = count_of(work, rotation);
  if (width > 0 && count % width == 0)
    add("rotary", work, {count / width, heads, shape.attention.head_dim}, points);
}

void add_elementwise(const Work& work, const TransformerShape& shape, std::set<Point>& points) {
  if (shape.gated)
    add("swiglu", work, {count_of(work, gated_activation)}, points);
  else
    add("gelu", work, {count_of(work, plain_activation)}, points);
  if (shape.positions == Positions::rope) add_rotary(work, shape, points);
  if (shape.dropout) add("dropout", work, {dropped(work)}, points);
  if (const int64_t count = count_of(work, sum))
    points.insert({"add", Direction::forward, DType::fp32, {count}});
}

}  // namespace

void add_streams(const Work& work, const TransformerShape& shape, int64_t most_weights,
                 std::set<Point>& points) {
  // A bias's gradient sums rows: it is no kernel of those that are measured.
  if (work.direction == Direction::weight_gradient) return;
  if (work.kernel == Kernel::norm) add_norm(work, shape, points);
  if (work.kernel == Kernel::elementwise) add_elementwise(work, shape, points);
  if (work.kernel == Kernel::optimizer) {
    const double weights = static_cast<double>((work.read + work.written).count) / adam_bytes;
    const auto count = std::min(static_cast<int64_t>(weights), most_weights);
    if (count > 0) points.insert({"adam", Direction::forward, DType::fp32, {count}});
  }
}

}  // namespace pipewright::calibration
