#include "kernels/kernels.hpp"

#include <gtest/gtest.h>

#include "support/kernels_on_backends.hpp"

namespace pipewright::test {
namespace {

using kernels::Array;
using Form = kernels::Kernels::Form;

void expect_close(const Grid2& got, const Grid2& expected) {
  test::expect_close(got, expected, 2e-6);
}

class KernelsTest : public OnBackends {};

TEST_P(KernelsTest, multiply_in_all_forms_and_on_top) {
  for (const Form a_form : {Form::plain, Form::transposed}) {
    for (const Form b_form : {Form::plain, Form::transposed}) {
      for (const bool accumulate : {false, true}) {
        const bool at = a_form == Form::transposed, bt = b_form == Form::transposed;
        const Grid2 a = at ? random_grid(7, 5, 1) : random_grid(5, 7, 1);
        const Grid2 b = bt ? random_grid(3, 7, 2) : random_grid(7, 3, 2),
                    before = random_grid(5, 3, 3);
        Grid2 expected = accumulate ? before : Grid2(5, 3);
        for (int i = 0; i < 5; ++i)
          for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 7; ++k)
              expected.at(i, j) += (at ? a.at(k, i) : a.at(i, k)) * (bt ? b.at(j, k) : b.at(k, j));
        const Array c = up(before);
        kernels->multiply(up(a), a_form, up(b), b_form, c, accumulate);
        expect_close(down(c), expected);
      }
    }
  }
}

TEST_P(KernelsTest, bias_and_its_gradient_are_adjoint) {
  const Grid2 bias = random_grid(1, 6, 1), dy = random_grid(4, 6, 2);
  const Array y = zeros(4, 6), d_bias = zeros(1, 6);
  kernels->add_bias(up(bias), y);
  kernels->add_rows(up(dy), d_bias);
  EXPECT_NEAR(dot(down(y), dy), dot(bias, down(d_bias)), 1e-5);
}

TEST_P(KernelsTest, gelu) {
  const Grid2 x = random_grid(5, 9, 1), dy = random_grid(5, 9, 2);
  const Array y = zeros(5, 9), dx = zeros(5, 9);
  kernels->gelu(up(x), y);
  kernels->gelu_gradient(up(x), up(dy), dx);
  expect_close(down(y), double_gelu(x));
  expect_close(down(dx), gradient(double_gelu, x, dy));
}

TEST_P(KernelsTest, layer_norm) {
  const Grid2 x = random_grid(4, 12, 1), gain = random_grid(1, 12, 2), bias = random_grid(1, 12, 3);
  const Grid2 dy = random_grid(4, 12, 4);
  const Array y = zeros(4, 12), statistics = zeros(4, 2), dx = zeros(4, 12);
  const Array d_gain = zeros(1, 12), d_bias = zeros(1, 12);
  kernels->layer_norm(up(x), up(gain), up(bias), y, statistics);
  kernels->layer_norm_input_gradient(up(x), up(gain), statistics, up(dy), dx);
  kernels->layer_norm_weight_gradient(up(x), statistics, up(dy), d_gain, d_bias);
  expect_close(down(y), double_layer_norm(x, gain, bias));
  expect_close(down(dx),
               gradient([&](const Grid2& v) { return double_layer_norm(v, gain, bias); }, x, dy));
  expect_close(down(d_gain),
               gradient([&](const Grid2& v) { return double_layer_norm(x, v, bias); }, gain, dy));
  expect_close(down(d_bias),
               gradient([&](const Grid2& v) { return double_layer_norm(x, gain, v); }, bias, dy));
}

TEST_P(KernelsTest, attention_of_slices_with_shared_keys) {
  for (const bool causal : {true, false}) {
    const kernels::AttentionShape shape{.sequences = 2,
                                        .first = 3,
                                        .tokens = 4,
                                        .total = 9,
                                        .heads = 4,
                                        .kv_heads = 2,
                                        .head_dim = 5,
                                        .causal = causal};
    const Grid2 q = random_grid(8, 20, 1), keys = random_grid(18, 10, 2);
    const Grid2 values = random_grid(18, 10, 3), dy = random_grid(8, 20, 4);
    const Array y = zeros(8, 20), log_sums = zeros(8, 4), dq = zeros(8, 20);
    const Array d_keys = zeros(18, 10), d_values = zeros(18, 10);
    kernels->attention(shape, up(q), up(keys), up(values), y, log_sums);
    kernels->attention_gradient(shape, up(q), up(keys), up(values), y, log_sums, up(dy), dq, d_keys,
                                d_values);
    expect_close(down(y), double_attention(shape, q, keys, values));
    const auto of_q = [&](const Grid2& v) { return double_attention(shape, v, keys, values); };
    const auto of_keys = [&](const Grid2& v) { return double_attention(shape, q, v, values); };
    const auto of_values = [&](const Grid2& v) { return double_attention(shape, q, keys, v); };
    expect_close(down(dq), gradient(of_q, q, dy));
    expect_close(down(d_keys), gradient(of_keys, keys, dy));
    expect_close(down(d_values), gradient(of_values, values, dy));
  }
}

TEST_P(KernelsTest, rows_gathered_and_scattered_are_adjoint) {
  const std::vector<int32_t> tokens = {2, 0, 2, 4};
  const Grid2 table = random_grid(5, 3, 1), dy = random_grid(4, 3, 2);
  const Array y = zeros(4, 3), d_table = zeros(5, 3);
  kernels->gather_rows(tokens, up(table), y);
  kernels->scatter_rows(tokens, up(dy), d_table);
  EXPECT_EQ(down(y).at(3, 1), table.at(4, 1));
  EXPECT_NEAR(dot(down(y), dy), dot(table, down(d_table)), 1e-5);
}

TEST_P(KernelsTest, cross_entropy) {
  const std::vector<int32_t> targets = {2, 0, 6};
  const Grid2 logits = random_grid(3, 7, 1);
  const auto of_logits = [&](const Grid2& v) { return double_cross_entropy(v, targets, 0.25); };
  const Array d_logits = zeros(3, 7), loss = zeros(1, 1);
  kernels->cross_entropy(up(logits), targets, 0.25, d_logits, loss);
  expect_close(down(loss), of_logits(logits));
  Grid2 one(1, 1);
  one.at(0, 0) = 1;
  expect_close(down(d_logits), gradient(of_logits, logits, one));
}

// Three steps by the published update rules.
TEST_P(KernelsTest, optimizers_follow_their_rules) {
  double weight = 2, velocity = 0, adam_weight = 2, first = 0, second = 0;
  const Array w = up(Grid2(1, 1)), v = zeros(1, 1), a = up(Grid2(1, 1));
  const Array m1 = zeros(1, 1), m2 = zeros(1, 1), ahead = zeros(1, 1);
  kernels->upload(std::vector<float>{2}, w);
  kernels->upload(std::vector<float>{2}, a);
  for (int step = 1; step <= 3; ++step) {
    Grid2 gradient(1, 1);
    gradient.at(0, 0) = 0.5 * step;
    const double g = gradient.at(0, 0);
    velocity = 0.9 * velocity + g;
    weight -= 0.1 * velocity;
    kernels->momentum_step(0.1, 0.9, up(gradient), v, w);
    first = 0.9 * first + 0.1 * g;
    second = 0.999 * second + 0.001 * g * g;
    const double direction = first / (1 - std::pow(0.9, step)) /
                             (std::sqrt(second / (1 - std::pow(0.999, step))) + 1e-8);
    adam_weight = adam_weight * (1 - 0.1 * 0.01) - 0.1 * direction;
    const kernels::AdamStep adam{.learning_rate = 0.1, .decoupled_decay = 0.01, .step = step};
    kernels->adam_step(adam, up(gradient), m1, m2, a);
    kernels->adam_direction(adam, m1, m2, ahead);
    EXPECT_NEAR(down(ahead).at(0, 0), direction, 1e-5);
  }
  EXPECT_NEAR(down(w).at(0, 0), weight, 1e-5);
  EXPECT_NEAR(down(a).at(0, 0), adam_weight, 1e-5);
}

// Larger than a tile, a warp and a block of any backend, and no multiple of them: against the plain
// backend, as differences would take for ever.
TEST_P(KernelsTest, attention_over_many_tiles_is_as_on_the_cpu) {
  const kernels::AttentionShape shape{.sequences = 2,
                                      .first = 37,
                                      .tokens = 70,
                                      .total = 120,
                                      .heads = 4,
                                      .kv_heads = 2,
                                      .head_dim = 72};
  const Grid2 q = random_grid(140, 288, 1), keys = random_grid(240, 144, 2);
  const Grid2 values = random_grid(240, 144, 3), dy = random_grid(140, 288, 4);
  const auto all = [&](kernels::Kernels& on) {
    const Array y = on.array(140, 288), log_sums = on.array(140, 4), dq = on.array(140, 288);
    const Array d_keys = upload(on, Grid2(240, 144)), d_values = upload(on, Grid2(240, 144));
    const Array q_there = upload(on, q), keys_there = upload(on, keys);
    const Array values_there = upload(on, values), dy_there = upload(on, dy);
    on.attention(shape, q_there, keys_there, values_there, y, log_sums);
    on.attention_gradient(shape, q_there, keys_there, values_there, y, log_sums, dy_there, dq,
                          d_keys, d_values);
    std::vector<Grid2> results;
    for (const Array& array : {y, log_sums, dq, d_keys, d_values})
      results.push_back(download(on, array));
    return results;
  };
  const std::vector<Grid2> here = all(*kernels), plain = all(*kernels::cpu_kernels());
  expect_close(here[0], double_attention(shape, q, keys, values));
  for (size_t i = 0; i < plain.size(); ++i) expect_close(here[i], plain[i], 5e-6);
}

TEST_P(KernelsTest, rows_and_columns_longer_than_a_block) {
  const Grid2 x = random_grid(300, 700, 1), gain = random_grid(1, 700, 2);
  const Array y = zeros(300, 700), statistics = zeros(300, 2), d_gain = zeros(1, 700);
  const Array d_bias = zeros(1, 700);
  kernels->layer_norm(up(x), up(gain), zeros(1, 700), y, statistics);
  expect_close(down(y), double_layer_norm(x, gain, Grid2(1, 700)));
  kernels->layer_norm_weight_gradient(up(x), statistics, up(x), d_gain, d_bias);
  Grid2 sums(1, 700);
  for (int64_t r = 0; r < 300; ++r)
    for (int64_t c = 0; c < 700; ++c) sums.at(0, c) += x.at(r, c);
  expect_close(down(d_bias), sums, 5e-6);
  // <dy, y> without bias is <d_gain, gain>, as y is linear in the gain.
  EXPECT_NEAR(dot(x, down(y)), dot(down(d_gain), gain), 1e-5 * 300 * 700);
}

// Columns cut out of a wider matrix: rows stand apart, and addresses are odd.
TEST_P(KernelsTest, views_of_columns) {
  const Grid2 x = random_grid(6, 11, 1);
  const Array wide = up(x), product = zeros(6, 6);
  const kernels::Tensor view = wide.tensor.column_range(3, 5);
  kernels->multiply(view, Form::plain, view, Form::transposed, product, false);
  kernels->add(2, view, view);
  Grid2 expected(6, 6), tripled = x;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 3; k < 8; ++k) expected.at(i, j) += x.at(i, k) * x.at(j, k);
  for (int i = 0; i < 6; ++i)
    for (int k = 3; k < 8; ++k) tripled.at(i, k) *= 3;
  expect_close(down(product), expected);
  expect_close(down(wide), tripled);
}

INSTANTIATE_TEST_SUITE_P(Backends, KernelsTest, testing::Values("cpu", "cuda"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
}  // namespace pipewright::test
