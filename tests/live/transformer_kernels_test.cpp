// Kernels between the products of a transformer, against plain loops in double precision and
// central differences.
#include <gtest/gtest.h>

#include <cstring>

#include "kernels/philox.hpp"
#include "support/kernels_on_backends.hpp"

namespace pipewright::test {
namespace {

using kernels::Array;
using kernels::Dropout;
using kernels::RotaryShape;
using Form = kernels::Kernels::Form;
using Turn = kernels::Kernels::Turn;

class TransformerKernels : public OnBackends {};

void expect_close(const Grid2& got, const Grid2& expected) {
  test::expect_close(got, expected, 3e-6);
}

Grid2 double_rms_norm(const Grid2& x, const Grid2& gain) {
  Grid2 y = x;
  for (int64_t r = 0; r < x.rows; ++r) {
    double squares = 0;
    for (int64_t c = 0; c < x.columns; ++c) squares += x.at(r, c) * x.at(r, c);
    for (int64_t c = 0; c < x.columns; ++c)
      y.at(r, c) *= gain.at(0, c) / std::sqrt(squares / double(x.columns) + 1e-5);
  }
  return y;
}

Grid2 double_swiglu(const Grid2& gate, const Grid2& up) {
  Grid2 y = up;
  for (size_t i = 0; i < y.values.size(); ++i)
    y.values[i] *= gate.values[i] / (1 + std::exp(-gate.values[i]));
  return y;
}

/// As complex numbers: (x_j + i x_(j+d/2)) e^(i angle).
Grid2 double_rotation(const RotaryShape& s, const Grid2& x) {
  Grid2 y = x;
  const int half = s.head_dim / 2;
  for (int64_t r = 0; r < x.rows; ++r) {
    for (int h = 0; h < s.heads; ++h) {
      for (int j = 0; j < half; ++j) {
        const double angle =
            double(s.first + r % s.tokens) * std::pow(s.base, -2.0 * j / s.head_dim);
        const int64_t low = h * s.head_dim + j, high = low + half;
        y.at(r, low) = x.at(r, low) * std::cos(angle) - x.at(r, high) * std::sin(angle);
        y.at(r, high) = x.at(r, low) * std::sin(angle) + x.at(r, high) * std::cos(angle);
      }
    }
  }
  return y;
}

Grid2 double_softmax(const Grid2& x) {
  Grid2 y = x;
  for (int64_t r = 0; r < x.rows; ++r) {
    double sum = 0;
    for (int64_t c = 0; c < x.columns; ++c) sum += std::exp(x.at(r, c));
    for (int64_t c = 0; c < x.columns; ++c) y.at(r, c) = std::exp(x.at(r, c)) / sum;
  }
  return y;
}

// Widths that four divides and one that it does not.
TEST_P(TransformerKernels, rms_norm) {
  for (const int64_t width : {12, 13}) {
    const Grid2 x = random_grid(4, width, 1), gain = random_grid(1, width, 2);
    const Grid2 dy = random_grid(4, width, 3);
    const Array y = zeros(4, width), inverse = zeros(4, 1), dx = zeros(4, width);
    const Array d_gain = zeros(1, width);
    kernels->rms_norm(up(x), up(gain), y, inverse);
    kernels->rms_norm_input_gradient(up(x), up(gain), inverse, up(dy), dx);
    kernels->rms_norm_weight_gradient(up(x), inverse, up(dy), d_gain);
    expect_close(down(y), double_rms_norm(x, gain));
    const auto of_x = [&](const Grid2& v) { return double_rms_norm(v, gain); };
    const auto of_gain = [&](const Grid2& v) { return double_rms_norm(x, v); };
    expect_close(down(dx), gradient(of_x, x, dy));
    expect_close(down(d_gain), gradient(of_gain, gain, dy));
  }
}

// Far more rows than one block's share of a sum, and rows longer than a block.
TEST_P(TransformerKernels, rms_norm_of_many_long_rows) {
  const Grid2 x = random_grid(300, 700, 1), gain = random_grid(1, 700, 2);
  const Array y = zeros(300, 700), inverse = zeros(300, 1), d_gain = zeros(1, 700);
  kernels->rms_norm(up(x), up(gain), y, inverse);
  expect_close(down(y), double_rms_norm(x, gain));
  kernels->rms_norm_weight_gradient(up(x), inverse, up(x), d_gain);
  // y is linear in the gain, so that <x, y> = <d_gain, gain> when x is also the gradient.
  EXPECT_NEAR(dot(x, down(y)), dot(down(d_gain), gain), 1e-6 * 300 * 700);
}

// Gate and up are the halves of one product's result, so that their rows stand apart.
TEST_P(TransformerKernels, swiglu_of_two_halves) {
  for (const int64_t width : {8, 9}) {
    const Grid2 both = random_grid(5, 2 * width, 1), dy = random_grid(5, width, 2);
    Grid2 gate(5, width), upper(5, width);
    for (int64_t r = 0; r < 5; ++r) {
      for (int64_t c = 0; c < width; ++c) {
        gate.at(r, c) = both.at(r, c);
        upper.at(r, c) = both.at(r, width + c);
      }
    }
    const Array in = up(both), y = zeros(5, width), d_both = zeros(5, 2 * width);
    const kernels::Tensor gates = in.tensor.column_range(0, width);
    const kernels::Tensor uppers = in.tensor.column_range(width, width);
    const kernels::Tensor d_gate = d_both.tensor.column_range(0, width);
    const kernels::Tensor d_up = d_both.tensor.column_range(width, width);
    kernels->swiglu(gates, uppers, y);
    kernels->swiglu_gradient(gates, uppers, up(dy), d_gate, d_up);
    expect_close(down(y), double_swiglu(gate, upper));
    const auto of_gate = [&](const Grid2& v) { return double_swiglu(v, upper); };
    const auto of_up = [&](const Grid2& v) { return double_swiglu(gate, v); };
    expect_close(down(d_gate), gradient(of_gate, gate, dy));
    expect_close(down(d_up), gradient(of_up, upper, dy));
  }
}

// Its gradients may be written over its inputs, as a training step without memory to spare does.
TEST_P(TransformerKernels, swiglu_gradients_may_stand_where_the_inputs_do) {
  const Grid2 gate = random_grid(3, 10, 1), upper = random_grid(3, 10, 2);
  const Grid2 dy = random_grid(3, 10, 3);
  const Array g = up(gate), u = up(upper);
  kernels->swiglu_gradient(g, u, up(dy), g, u);
  const auto of_gate = [&](const Grid2& v) { return double_swiglu(v, upper); };
  const auto of_up = [&](const Grid2& v) { return double_swiglu(gate, v); };
  expect_close(down(g), gradient(of_gate, gate, dy));
  expect_close(down(u), gradient(of_up, upper, dy));
}

// Two sequences of three tokens, the slice from token 100 000 on, where an angle in fp32 would be
// off by a hundredth.
TEST_P(TransformerKernels, rotation_of_late_tokens) {
  const RotaryShape shape{.tokens = 3, .first = 100'000, .heads = 2, .head_dim = 6};
  const Grid2 x = random_grid(6, 12, 1), dy = random_grid(6, 12, 2);
  const Array y = zeros(6, 12), dx = zeros(6, 12);
  kernels->rotate(shape, Turn::forward, up(x), y);
  kernels->rotate(shape, Turn::backward, up(dy), dx);
  expect_close(down(y), double_rotation(shape, x));
  const auto turned = [&](const Grid2& v) { return double_rotation(shape, v); };
  expect_close(down(dx), gradient(turned, x, dy));
}

TEST_P(TransformerKernels, a_turn_in_place_and_back_changes_nothing) {
  const RotaryShape shape{.tokens = 5, .first = 7, .heads = 3, .head_dim = 64};
  const Grid2 x = random_grid(10, 192, 1);
  const Array y = up(x);
  kernels->rotate(shape, Turn::forward, y, y);
  EXPECT_GT(std::abs(down(y).at(0, 0) - x.at(0, 0)), 1e-3);
  kernels->rotate(shape, Turn::backward, y, y);
  expect_close(down(y), x);
}

// Of 40 000 numbers a tenth is dropped, give or take five deviations of 0.0015; those that are kept
// are worth 1 / 0.9.
TEST_P(TransformerKernels, dropout_keeps_the_share_and_the_mean) {
  const Dropout dropout{.probability = 0.1, .seed = 5, .stream = 3};
  Grid2 ones(200, 200), residual = random_grid(200, 200, 1);
  for (double& value : ones.values) value = 1;
  const Array y = zeros(200, 200);
  kernels->dropout_add(dropout, up(ones), up(residual), y);
  const Grid2 sum = down(y);
  int dropped = 0;
  for (size_t i = 0; i < sum.values.size(); ++i) {
    const bool gone = std::abs(sum.values[i] - residual.values[i]) < 1e-6;
    dropped += gone;
    EXPECT_NEAR(sum.values[i] - residual.values[i], gone ? 0 : 1 / 0.9, 1e-6);
  }
  EXPECT_NEAR(dropped / 40'000.0, 0.1, 5 * 0.0015);
}

// Number i is dropped when draw i % 4 of counter i / 4 is below 0.3 of 2^32, wherever its row
// stands: on every device, forwards and backwards alike.
TEST_P(TransformerKernels, dropout_follows_from_a_number_s_place) {
  const Dropout dropout{.probability = 0.3, .seed = uint64_t{1} << 40 | 9, .stream = 2};
  for (const int64_t width : {8, 7}) {
    const Grid2 dy = random_grid(5, width, 1);
    const Array wide = up(random_grid(5, 2 * width, 2)), dx = zeros(5, width);
    const kernels::Tensor apart = wide.tensor.column_range(width, width);
    kernels->copy(up(dy), apart);
    kernels->dropout_gradient(dropout, up(dy), dx);
    kernels->dropout_gradient(dropout, apart, apart);
    Grid2 expected = dy;
    for (uint64_t i = 0; i < dy.values.size(); ++i) {
      const kernels::Philox draws = kernels::philox({{uint32_t(i / 4), 0, 2, 0}}, dropout.seed);
      const bool gone = draws.at[i % 4] < 0.3 * 4294967296.0;
      expected.values[i] *= gone ? 0 : 1 / 0.7;
    }
    expect_close(down(dx), expected);
    expect_close(down(apart), expected);
  }
}

TEST_P(TransformerKernels, softmax) {
  for (const int64_t width : {7, 8, 1001}) {
    const Grid2 x = random_grid(3, width, 1), dy = random_grid(3, width, 2);
    const Array y = zeros(3, width), dx = zeros(3, width);
    kernels->softmax(up(x), y);
    kernels->softmax_gradient(y, up(dy), dx);
    expect_close(down(y), double_softmax(x));
    if (width < 10) expect_close(down(dx), gradient(double_softmax, x, dy));
  }
}

// e^200 is beyond fp32; a shift of all of a row changes nothing.
TEST_P(TransformerKernels, softmax_of_large_numbers) {
  const Grid2 x = random_grid(2, 50, 1);
  Grid2 shifted = x;
  for (double& value : shifted.values) value += 200;
  const Array y = zeros(2, 50);
  kernels->softmax(up(shifted), y);
  expect_close(down(y), double_softmax(x), 3e-5);  // 200 leaves x five decimals
}

TEST_P(TransformerKernels, products_in_batches_in_all_forms) {
  constexpr int64_t batch = 3, m = 4, n = 5, k = 6;
  for (const Form a_form : {Form::plain, Form::transposed}) {
    for (const Form b_form : {Form::plain, Form::transposed}) {
      const bool at = a_form == Form::transposed, bt = b_form == Form::transposed;
      const Grid2 a = random_grid(batch * (at ? k : m), at ? m : k, 1);
      const Grid2 b = random_grid(batch * (bt ? n : k), bt ? k : n, 2);
      Grid2 expected(batch * m, n);
      for (int64_t i = 0; i < batch; ++i)
        for (int64_t r = 0; r < m; ++r)
          for (int64_t c = 0; c < n; ++c)
            for (int64_t d = 0; d < k; ++d)
              expected.at(i * m + r, c) += (at ? a.at(i * k + d, r) : a.at(i * m + r, d)) *
                                           (bt ? b.at(i * n + c, d) : b.at(i * k + d, c));
      const Array c = zeros(batch * m, n);
      kernels->multiply_batched(batch, up(a), a_form, up(b), b_form, c, false);
      expect_close(down(c), expected);
      kernels->multiply_batched(batch, up(a), a_form, up(b), b_form, c, true);
      for (double& value : expected.values) value *= 2;
      expect_close(down(c), expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, TransformerKernels, testing::Values("cpu", "cuda"),
                         [](const auto& backend) { return std::string(backend.param); });

// The known answers of the authors' Random123 library (its kat_vectors), ten rounds.
TEST(Philox, gives_the_known_answers) {
  const auto draw = [](kernels::Philox counter, uint64_t key) {
    const kernels::Philox drawn = kernels::philox(counter, key);
    return std::vector<uint32_t>(std::begin(drawn.at), std::end(drawn.at));
  };
  EXPECT_EQ(draw({}, 0), (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t all = 0xffffffff;
  EXPECT_EQ(draw({{all, all, all, all}}, ~uint64_t{0}),
            (std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(draw({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822),
            (std::vector<uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Of both kinds the same four small integers, which 8 bits hold exactly, so that the product is
// exact too.
TEST(Fp8, products_are_exact_where_the_numbers_are) {
  std::unique_ptr<kernels::CudaKernels> gpu;
  try {
    gpu = kernels::cuda_kernels();
  } catch (const Failure& absent) {
    GTEST_SKIP() << absent.what();
  }
  Grid2 a(16, 32), b(48, 32), scale(1, 1);
  for (size_t i = 0; i < a.values.size(); ++i) a.values[i] = double(i * 7 % 4);
  for (size_t i = 0; i < b.values.size(); ++i) b.values[i] = 2 * double(i * 5 % 4);
  scale.at(0, 0) = 0.5;
  const Array scales = upload(*gpu, scale);
  for (const kernels::Narrow type : {kernels::Narrow::e4m3, kernels::Narrow::e5m2}) {
    const Array left = gpu->array(16, 8), right = gpu->array(48, 8), c = gpu->array(16, 24);
    const kernels::Fp8 narrow_a{left, kernels::Narrow::e4m3, scales}, narrow_b{right, type, scales};
    gpu->to_fp8(upload(*gpu, a), narrow_a);
    gpu->to_fp8(upload(*gpu, b), narrow_b);
    try {
      gpu->multiply_fp8(narrow_a, narrow_b, c);
    } catch (const Failure& refused) {
      EXPECT_NE(std::string(refused.what()).find("compute capability"), std::string::npos);
      GTEST_SKIP() << refused.what();
    }
    // bf16 is the upper half of an fp32.
    std::vector<float> pairs(16 * 24);
    gpu->download(c, pairs);
    std::vector<uint16_t> halves(16 * 48);
    std::memcpy(halves.data(), pairs.data(), halves.size() * 2);
    for (int64_t r = 0; r < 16; ++r) {
      for (int64_t n = 0; n < 48; ++n) {
        double expected = 0;
        for (int64_t k = 0; k < 32; ++k) expected += a.at(r, k) * b.at(n, k);
        const uint32_t bits = uint32_t{halves[static_cast<size_t>(r * 48 + n)]} << 16;
        float got = 0;
        std::memcpy(&got, &bits, sizeof got);
        EXPECT_NEAR(got, expected, 0.004 * expected) << "bf16 keeps 8 bits";
      }
    }
  }
}

}  // namespace
}  // namespace pipewright::test
