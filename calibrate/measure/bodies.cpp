#include "calibrate/measure/bodies.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "calibrate/measure/fused_shapes.hpp"
#include "calibrate/measure/product_shape.hpp"
#include "calibrate/train/layers/random.hpp"

namespace pipewright::calibration {

using kernels::Array;

Bodies::Bodies(kernels::Kernels& kernels) : kernels_(kernels), drawn_(size_t{1} << 18) {
  train::Random random(1);
  for (float& number : drawn_) number = static_cast<float>(random.normal());
}

Array Bodies::random(int64_t rows, int64_t columns) {
  Array array = kernels_.array(rows, columns);
  const int64_t count = rows * columns, batch = static_cast<int64_t>(drawn_.size());
  for (int64_t done = 0; done < count; done += batch) {
    const int64_t now = std::min(batch, count - done);
    kernels_.upload({drawn_.data(), static_cast<size_t>(now)},
                    {array.tensor.data + done, 1, now, now});
  }
  return array;
}

Body Bodies::product(const Point& p) {
  if (p.dtype != DType::fp32) return narrow_product(p);
  const ProductShape shape = product_shape(p);
  const Array a = random(shape.a_rows, shape.a_columns), b = random(shape.b_rows, shape.b_columns);
  const Array c = random(shape.batch * shape.m, shape.n);
  const bool on_top = p.direction == Direction::weight_gradient;
  return [=, this] {
    if (shape.batch == 1)
      kernels_.multiply(a, shape.a_form, b, shape.b_form, c, on_top);
    else
      kernels_.multiply_batched(shape.batch, a, shape.a_form, b, shape.b_form, c, on_top);
  };
}

Body Bodies::attention(const Point& p) {
  const auto size = [&](size_t i) { return static_cast<int>(p.sizes[i]); };
  const kernels::AttentionShape shape{.sequences = size(0),
                                      .tokens = size(1),
                                      .total = size(1),
                                      .heads = size(2),
                                      .kv_heads = size(2),
                                      .head_dim = size(3)};
  const int64_t rows = p.sizes[0] * p.sizes[1], columns = p.sizes[2] * p.sizes[3];
  const auto one = [&] { return random(rows, columns); };
  const Array q = one(), k = one(), v = one(), y = one(), log_sums = random(rows, p.sizes[2]);
  if (p.direction == Direction::forward)
    return [=, this] { kernels_.attention(shape, q, k, v, y, log_sums); };
  kernels_.attention(shape, q, k, v, y, log_sums);
  const Array dy = one(), dq = one(), dk = one(), dv = one();
  return [=, this] { kernels_.attention_gradient(shape, q, k, v, y, log_sums, dy, dq, dk, dv); };
}

Body Bodies::layer_norm(const Point& p) {
  const Array x = random(p.sizes[0], p.sizes[1]), y = random(p.sizes[0], p.sizes[1]);
  const Array gain = random(1, p.sizes[1]), bias = random(1, p.sizes[1]);
  const Array statistics = kernels_.array(p.sizes[0], 2);
  if (p.direction == Direction::forward)
    return [=, this] { kernels_.layer_norm(x, gain, bias, y, statistics); };
  kernels_.layer_norm(x, gain, bias, y, statistics);
  const Array dx = kernels_.array(p.sizes[0], p.sizes[1]);
  return [=, this] {
    kernels_.layer_norm_input_gradient(x, gain, statistics, y, dx);
    kernels_.layer_norm_weight_gradient(x, statistics, y, gain, bias);
  };
}

Body Bodies::streaming(const Point& p) {
  const int64_t count = p.kernel == "launch" ? 1 : p.sizes[0];
  const Array x = random(1, count), y = random(1, count);
  if (p.kernel == "launch" || p.kernel == "add") return [=, this] { kernels_.add(1e-9, x, y); };
  if (p.kernel == "copy") return [=, this] { kernels_.copy(x, y); };
  if (p.kernel == "upload" || p.kernel == "download") {
    const auto host = std::make_shared<std::vector<float>>(static_cast<size_t>(count));
    if (p.kernel == "upload") return [=, this] { kernels_.upload(*host, x); };
    return [=, this] { kernels_.download(x, *host); };
  }
  if (p.kernel == "gelu") {
    if (p.direction == Direction::forward) return [=, this] { kernels_.gelu(x, y); };
    const Array dx = kernels_.array(1, count);
    return [=, this] { kernels_.gelu_gradient(x, y, dx); };
  }
  ensure(p.kernel == "adam", "every kernel of a sweep can be prepared");
  const Array first = random(1, count), second = kernels_.array(1, count);
  kernels_.zero(second);
  return [=, this] { kernels_.adam_step({}, x, first, second, y); };
}

Body Bodies::rms_norm(const Point& p) {
  const auto one = [&] { return random(p.sizes[0], p.sizes[1]); };
  const Array x = one(), y = one(), gain = random(1, p.sizes[1]);
  const Array inverse = kernels_.array(p.sizes[0], 1);
  if (p.direction == Direction::forward)
    return [=, this] { kernels_.rms_norm(x, gain, y, inverse); };
  kernels_.rms_norm(x, gain, y, inverse);
  const Array dx = kernels_.array(p.sizes[0], p.sizes[1]), d_gain = random(1, p.sizes[1]);
  return [=, this] {
    kernels_.rms_norm_input_gradient(x, gain, inverse, y, dx);
    kernels_.rms_norm_weight_gradient(x, inverse, y, d_gain);
  };
}

Body Bodies::softmax(const Point& p) {
  const auto one = [&] { return random(p.sizes[0], p.sizes[1]); };
  const Array x = one(), y = one();
  if (p.direction == Direction::forward) return [=, this] { kernels_.softmax(x, y); };
  const Array dx = one();
  return [=, this] { kernels_.softmax_gradient(x, y, dx); };
}

Body Bodies::rotary(const Point& p) {
  const kernels::RotaryShape shape{.tokens = static_cast<int>(p.sizes[0]),
                                   .heads = static_cast<int>(p.sizes[1]),
                                   .head_dim = static_cast<int>(p.sizes[2])};
  const Array x = random(p.sizes[0], p.sizes[1] * p.sizes[2]);
  const auto turn = p.direction == Direction::forward ? kernels::Kernels::Turn::forward
                                                      : kernels::Kernels::Turn::backward;
  return [=, this] { kernels_.rotate(shape, turn, x, x); };
}

Body Bodies::swiglu(const Point& p) {
  const auto one = [&] { return random(1, p.sizes[0]); };
  const Array gate = one(), up = one(), y = one();
  if (p.direction == Direction::forward) return [=, this] { kernels_.swiglu(gate, up, y); };
  const Array d_gate = one(), d_up = one();
  return [=, this] { kernels_.swiglu_gradient(gate, up, y, d_gate, d_up); };
}

Body Bodies::dropout(const Point& p) {
  const auto one = [&] { return random(1, p.sizes[0]); };
  const Array x = one(), y = one();
  if (p.direction != Direction::forward) return [=, this] { kernels_.dropout_gradient({}, x, y); };
  const Array residual = one();
  return [=, this] { kernels_.dropout_add({}, x, residual, y); };
}

Body Bodies::of(const Point& p) {
  if (is_fused(p)) return fused(p);
  if (p.kernel == "gemm" || p.kernel == "gemm_batched") return product(p);
  if (p.kernel == "attention") return attention(p);
  if (p.kernel == "layernorm") return layer_norm(p);
  if (p.kernel == "rmsnorm") return rms_norm(p);
  if (p.kernel == "softmax") return softmax(p);
  if (p.kernel == "rotary") return rotary(p);
  if (p.kernel == "swiglu") return swiglu(p);
  if (p.kernel == "dropout") return dropout(p);
  return streaming(p);
}

}  // namespace pipewright::calibration
