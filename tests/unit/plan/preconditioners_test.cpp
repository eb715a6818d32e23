// Shampoo and SOAP by hand: a gradient of 20 x 30 has products of 20 x 20 and 30 x 30.
#include "plan/preconditioners.hpp"

#include <gtest/gtest.h>

#include "plan/muon.hpp"
#include "plan/optimizer_step.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright {
namespace {

/// Two matrices of 20 x 30, norms of 100 parameters beside them, a head of 500.
std::vector<Layer> preconditioned_model() {
  std::vector<Layer> layers(2);
  layers[0] = {.kind = LayerKind::block, .device_parameters = 2 * 600 + 100};
  layers[0].weight_gradient = {{.kernels = {{.kernel = Kernel::gemm,
                                             .direction = Direction::weight_gradient,
                                             .shape = {2, 20, 30, 16}}}}};
  layers[1] = {.kind = LayerKind::head, .device_parameters = 500};
  return layers;
}

StateOptions options(Optimizer optimizer, int64_t width, int64_t every) {
  return {.optimizer = optimizer, .preconditioner = {.width = width, .every = every}};
}

double flops_of_preconditioner(const std::vector<Work>& kernels) {
  double sum = 0;
  for (const Work& work : kernels) sum += work.flops;
  return sum;
}

// The sums and their inverse roots, or bases, in fp32.
TEST(Preconditioners, two_products_of_a_matrix_and_what_is_made_of_them) {
  constexpr double of_one = 4.0 * 2 * (20 * 20 + 30 * 30);
  for (const Optimizer optimizer : {Optimizer::shampoo, Optimizer::soap}) {
    EXPECT_DOUBLE_EQ(preconditioner_bytes(preconditioned_model(), options(optimizer, 64, 1)),
                     2 * of_one);
    const MemoryUse use = static_memory(preconditioned_model(), options(optimizer, 64, 1));
    EXPECT_EQ(use.optimizer, Bytes{12 * 1800 + static_cast<int64_t>(2 * of_one)});
  }
  EXPECT_DOUBLE_EQ(preconditioner_bytes(preconditioned_model(), {}), 0);
}

// Blocks of 20 x 20 and 20 x 10: their sides are 20, 20, 20 and 10.
TEST(Preconditioners, shampoo_cuts_a_matrix_and_soap_leaves_a_long_side_out) {
  EXPECT_DOUBLE_EQ(preconditioner_bytes(preconditioned_model(), options(Optimizer::shampoo, 20, 1)),
                   2 * 4.0 * 2 * (3 * 400 + 100));
  EXPECT_DOUBLE_EQ(preconditioner_bytes(preconditioned_model(), options(Optimizer::soap, 20, 1)),
                   2 * 4.0 * 2 * 400);
  EXPECT_DOUBLE_EQ(preconditioner_bytes(preconditioned_model(), options(Optimizer::soap, 19, 1)),
                   0);
  EXPECT_TRUE(preconditioning(preconditioned_model(), options(Optimizer::soap, 19, 1)).empty());
}

// A sum of products and a product with it are 2 r r c + 2 r c c FLOPs each. Anew: 9 + 2 cubes of a
// side for a root; a product and a QR decomposition, 2 + 8 / 3, for a basis.
TEST(Preconditioners, a_step_adds_products_applies_them_and_has_its_part_of_the_rest) {
  constexpr double applied = 2.0 * 20 * 30 * (20 + 30), cubes = 20.0 * 20 * 20 + 30.0 * 30 * 30;
  EXPECT_DOUBLE_EQ(flops_of_preconditioner(preconditioning(preconditioned_model(),
                                                           options(Optimizer::shampoo, 64, 10))),
                   2 * (2 * applied + 11 * cubes / 10));
  EXPECT_NEAR(flops_of_preconditioner(
                  preconditioning(preconditioned_model(), options(Optimizer::soap, 64, 1))) /
                  (2 * (4 * applied + (2 + 8.0 / 3) * cubes)),
              1, 0.01);
  EXPECT_DOUBLE_EQ(flops_of_preconditioner(
                       optimizer_step(preconditioned_model(), options(Optimizer::shampoo, 64, 10))),
                   flops_of_preconditioner(preconditioning(preconditioned_model(),
                                                           options(Optimizer::shampoo, 64, 10))));
}

TEST(Preconditioners, replicas_share_out_whole_matrices) {
  StateOptions shared = options(Optimizer::shampoo, 64, 1);
  const double alone = flops_of_preconditioner(preconditioning(preconditioned_model(), shared));
  shared.zero = 1;
  shared.shards = 2;
  EXPECT_DOUBLE_EQ(flops_of_preconditioner(preconditioning(preconditioned_model(), shared)),
                   alone / 2);
  shared.shards = 4;  // one has a whole matrix
  EXPECT_DOUBLE_EQ(flops_of_preconditioner(preconditioning(preconditioned_model(), shared)),
                   alone / 2);
}

RunResult trained_with(const std::string& more) {
  return test::run(test::small_gpt("parallel: {data: 16, zero: 1}\nschedule: gpipe\n" + more))
      .result;
}

TEST(Preconditioners, seldom_ones_cost_less_and_adam_least) {
  const auto iteration = [](const std::string& more) {
    return trained_with(more).metrics.iteration;
  };
  const Time often = iteration("optimizer: shampoo\npreconditioner: {every: 1}\n");
  const Time seldom = iteration("optimizer: shampoo\npreconditioner: {every: 1000}\n");
  EXPECT_GT(often, seldom);
  EXPECT_GT(seldom, iteration("optimizer: adam\n"));
}

TEST(Preconditioners, are_of_two_optimizers_on_whole_matrices) {
  EXPECT_NE(
      test::error_of([] { trained_with("preconditioner: {every: 1}\n"); }).find("shampoo or soap"),
      std::string::npos);
  EXPECT_NE(test::error_of([] {
              test::run(test::small_gpt(
                  "parallel: {data: 16, zero: 3}\nschedule: gpipe\noptimizer: soap\n"));
            }).find("optimizer: soap steps whole matrices"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright
