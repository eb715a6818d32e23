// What cuDNN computes on a GPU, held against plain arithmetic.
#include <gtest/gtest.h>

#include "support/kernels_on_backends.hpp"
#include "support/narrow_numbers.hpp"

namespace pipewright::test {
namespace {

using kernels::Array;
using kernels::Convolution;
using kernels::FusedAttention;

class CudnnKernelsTest : public testing::TestWithParam<Stored> {
 protected:
  void SetUp() override {
    try {
      kernels = kernels::cuda_kernels();
      cudnn = &kernels->cudnn();
    } catch (const Failure& absent) {
      GTEST_SKIP() << absent.what();
    }
  }

  Array up(const Grid2& grid) { return upload_as(GetParam(), *kernels, grid); }
  Array room(const Grid2& like) { return up(Grid2(like.rows, like.columns)); }
  Grid2 down(const Array& array) { return download_as(GetParam(), *kernels, array); }
  Grid2 random(int64_t rows, int64_t columns, uint64_t seed) {
    return rounded_to(GetParam(), random_grid(rows, columns, seed));
  }
  /// Some roundings of the largest number: to 8, to 11 bits, and of factors to TF32's 11.
  double tolerance() const { return GetParam() == Stored::bf16 ? 0.02 : 0.004; }

  std::unique_ptr<kernels::CudaKernels> kernels;
  kernels::Cudnn* cudnn = nullptr;
};

/// y = x * w, element by element; `each` is called with the places of x, w and y.
template <class F>
void over_windows(const Convolution& s, F&& each) {
  for (int64_t n = 0; n < s.samples; ++n)
    for (int64_t oy = 0; oy < s.out_height(); ++oy)
      for (int64_t ox = 0; ox < s.out_width(); ++ox)
        for (int64_t wy = 0; wy < s.window_height; ++wy)
          for (int64_t wx = 0; wx < s.window_width; ++wx) {
            const int64_t y = oy * s.stride + wy - s.pad_height;
            const int64_t x = ox * s.stride + wx - s.pad_width;
            if (y < 0 || x < 0 || y >= s.height || x >= s.width) continue;
            each((n * s.height + y) * s.width + x, wy * s.window_width + wx,
                 (n * s.out_height() + oy) * s.out_width() + ox);
          }
}

TEST_P(CudnnKernelsTest, convolution_and_its_gradients) {
  const Convolution shape{.samples = 2,
                          .height = 9,
                          .width = 7,
                          .channels = 8,
                          .filters = 16,
                          .window_height = 3,
                          .window_width = 3,
                          .stride = 2,
                          .pad_height = 1,
                          .pad_width = 1,
                          .numbers = GetParam()};
  const int64_t c = shape.channels, f = shape.filters;
  const Grid2 x = random(2 * 9 * 7, c, 1), w = random(f * 9, c, 2), dy = random(2 * 5 * 4, f, 3);
  Grid2 y(dy.rows, f), dx(x.rows, c), dw(w.rows, c);
  over_windows(shape, [&](int64_t at_x, int64_t at_w, int64_t at_y) {
    for (int64_t j = 0; j < f; ++j)
      for (int64_t i = 0; i < c; ++i) {
        y.at(at_y, j) += x.at(at_x, i) * w.at(j * 9 + at_w, i);
        dx.at(at_x, i) += dy.at(at_y, j) * w.at(j * 9 + at_w, i);
        dw.at(j * 9 + at_w, i) += x.at(at_x, i) * dy.at(at_y, j);
      }
  });
  const Array got_y = room(y), got_dx = room(x), got_dw = room(w);
  cudnn->convolution(shape, up(x), up(w), got_y);
  cudnn->convolution_input_gradient(shape, up(w), up(dy), got_dx);
  cudnn->convolution_weight_gradient(shape, up(x), up(dy), got_dw);
  expect_close(down(got_y), y, tolerance());
  expect_close(down(got_dx), dx, tolerance());
  expect_close(down(got_dw), dw, tolerance());
}

// The gradients against the plain backend's, which is held against differences elsewhere.
TEST_P(CudnnKernelsTest, attention_and_its_gradient) {
  if (GetParam() == Stored::fp32) {
    EXPECT_THROW(cudnn->attention({.tokens = 128, .head_dim = 64, .numbers = Stored::fp32}, {}, {},
                                  {}, {}, {}),
                 Failure);
    return;
  }
  const auto cpu = kernels::cpu_kernels();
  for (const int kv_heads : {4, 2}) {
    for (const bool causal : {true, false}) {
      const FusedAttention shape{.sequences = 2,
                                 .tokens = 128,
                                 .heads = 4,
                                 .kv_heads = kv_heads,
                                 .head_dim = 64,
                                 .causal = causal,
                                 .numbers = GetParam()};
      const kernels::AttentionShape plain{.sequences = 2,
                                          .tokens = 128,
                                          .total = 128,
                                          .heads = 4,
                                          .kv_heads = kv_heads,
                                          .head_dim = 64,
                                          .causal = causal};
      const int64_t rows = 256, width = 256, kv_width = kv_heads * 64;
      const Grid2 q = random(rows, width, 1), k = random(rows, kv_width, 2);
      const Grid2 v = random(rows, kv_width, 3), dy = random(rows, width, 4);

      const Array cpu_y = cpu->array(rows, width), cpu_sums = cpu->array(rows, 4);
      const Array cpu_dq = cpu->array(rows, width);
      const Array cpu_dk = upload(*cpu, Grid2(rows, kv_width));
      const Array cpu_dv = upload(*cpu, Grid2(rows, kv_width));
      const Array cq = upload(*cpu, q), ck = upload(*cpu, k), cv = upload(*cpu, v);
      cpu->attention(plain, cq, ck, cv, cpu_y, cpu_sums);
      cpu->attention_gradient(plain, cq, ck, cv, cpu_y, cpu_sums, upload(*cpu, dy), cpu_dq, cpu_dk,
                              cpu_dv);

      const Array y = room(q), dq = room(q), dk = room(k), dv = room(v);
      const Array sums = kernels->array(2 * 4, 128);
      cudnn->attention(shape, up(q), up(k), up(v), y, sums);
      cudnn->attention_gradient(shape, up(q), up(k), up(v), y, sums, up(dy), dq, dk, dv);
      expect_close(down(y), double_attention(plain, q, k, v), tolerance());
      expect_close(down(dq), download(*cpu, cpu_dq), tolerance());
      expect_close(down(dk), download(*cpu, cpu_dk), tolerance());
      expect_close(down(dv), download(*cpu, cpu_dv), tolerance());
      // Ours stand by row, then head.
      const Grid2 got = download(*kernels, sums), expected = download(*cpu, cpu_sums);
      for (int64_t s = 0; s < 2; ++s)
        for (int64_t h = 0; h < 4; ++h)
          for (int64_t t = 0; t < 128; ++t)
            ASSERT_NEAR(got.at(s * 4 + h, t), expected.at(s * 128 + t, h), 0.02);
    }
  }
}

std::string name_of_type(const testing::TestParamInfo<Stored>& type) {
  if (type.param == Stored::fp32) return "fp32";
  return type.param == Stored::bf16 ? "bf16" : "fp16";
}
INSTANTIATE_TEST_SUITE_P(Types, CudnnKernelsTest,
                         testing::Values(Stored::fp32, Stored::bf16, Stored::fp16), name_of_type);

// 1/3 is 0x3555 in fp16 and 0x3eab in bf16; 2^-24 is the smallest number of fp16.
TEST(NarrowNumbers, stand_as_ieee_754_and_bf16_say) {
  EXPECT_EQ(fp16_bits(1.0 / 3), 0x3555);
  EXPECT_EQ(bf16_bits(1.0 / 3), 0x3eab);
  EXPECT_EQ(fp16_bits(0x1p-24), 1);
  EXPECT_EQ(fp16_bits(-2), 0xc000);
  EXPECT_EQ(fp16_bits(2047.9), 0x6800);  // rounds up to 2048, the next power of two
  EXPECT_EQ(fp16_value(0x3555), 0.333251953125);
  EXPECT_EQ(bf16_value(0x3eab), 0.333984375);
}

}  // namespace
}  // namespace pipewright::test
