#include "plan/muon.hpp"

#include <gtest/gtest.h>

#include "plan/optimizer_step.hpp"

namespace pipewright {
namespace {

Work gradient(int64_t count, int64_t out, int64_t in) {
  return {.kernel = Kernel::gemm,
          .direction = Direction::weight_gradient,
          .shape = {count, out, in, 16}};
}

/// Two matrices of 20 x 30 and one of 40 x 20, norms of 100 parameters beside them, a head of 500.
std::vector<Layer> muon_model() {
  std::vector<Layer> layers(2);
  layers[0] = {.kind = LayerKind::block, .device_parameters = 2 * 600 + 800 + 100};
  layers[0].weight_gradient = {{.kernels = {gradient(2, 20, 30), gradient(1, 40, 20)}}};
  layers[1] = {.kind = LayerKind::head, .device_parameters = 500};
  layers[1].weight_gradient = {{.kernels = {gradient(1, 50, 10)}}};
  return layers;
}

double flops_of_step(const std::vector<Work>& kernels) {
  double sum = 0;
  for (const Work& work : kernels) sum += work.flops;
  return sum;
}

// arXiv 2502.16982, 2.2: five steps of X X^T, its square, and the product with X.
TEST(Muon, five_steps_of_three_products) {
  const auto of = [](double r, double c) { return 5 * (4 * r * r * c + 2 * r * r * r); };
  EXPECT_DOUBLE_EQ(flops_of_step(orthogonalisation(muon_model(), {})), 2 * of(20, 30) + of(20, 40));
}

TEST(Muon, replicas_share_out_whole_matrices) {
  const double alone = flops_of_step(orthogonalisation(muon_model(), {}));
  const double shared = flops_of_step(orthogonalisation(muon_model(), {.zero = 1, .shards = 2}));
  const double of_last = 5 * (4 * 20.0 * 20 * 40 + 2 * 20.0 * 20 * 20);
  EXPECT_DOUBLE_EQ(shared, (alone - of_last) / 2 + of_last);  // one of the last is not cut
}

// A master copy and one moment of all, a second one of norms and the head.
TEST(Muon, matrices_keep_one_moment_and_the_rest_two) {
  const MemoryUse use = static_memory(muon_model(), {.optimizer = Optimizer::muon});
  EXPECT_EQ(use.optimizer, Bytes{8 * 2600 + 4 * 600});
  EXPECT_DOUBLE_EQ(beside_matrices(muon_model()).all(), 600);
}

TEST(Muon, a_step_has_its_products) {
  const double muon = flops_of_step(optimizer_step(muon_model(), {.optimizer = Optimizer::muon}));
  EXPECT_DOUBLE_EQ(muon, flops_of_step(orthogonalisation(muon_model(), {})));
  EXPECT_DOUBLE_EQ(flops_of_step(optimizer_step(muon_model(), {.optimizer = Optimizer::momentum})),
                   0);
}

}  // namespace
}  // namespace pipewright
