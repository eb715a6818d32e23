// The momentum of a matrix, r by c with r <= c, goes through five steps in bf16:
//   A = X X^T,   B = b A + c A A,   X = a X + B X
// which is 4 r r c + 2 r r r FLOPs each. A device steps its cut of a matrix by itself
// (Megatron-Core's muon_tp_mode blockwise); under zero: 1 whole matrices are shared out over the
// replicas, the most that one gets. What is in no matrix of a block, the embedding and the head are
// stepped by Adam.
// Source: Keller Jordan, Muon (kellerjordan.github.io/posts/muon); arXiv 2502.16982; Megatron-Core,
// megatron/core/optimizer/muon.py. Left out: queries, keys and values as matrices of their own; the
// polynomial's element-wise kernels; that fewer replicas hold the same routed experts.
#include "plan/muon.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

constexpr int64_t steps = 5;

/// The matrices that a block has gradients of, and how many are alike.
std::map<Matrix, int64_t> matrices_of(const Layer& layer) {
  std::map<Matrix, int64_t> matrices;
  if (!has_matrices(layer.kind)) return matrices;
  for (const Segment& segment : layer.weight_gradient)
    for (const Work& work : segment.kernels)
      if (work.kernel == Kernel::gemm)
        matrices[Matrix(std::min(work.shape[1], work.shape[2]),
                        std::max(work.shape[1], work.shape[2]))] += work.shape[0];
  return matrices;
}

double numbers_in(const std::map<Matrix, int64_t>& matrices) {
  double numbers = 0;
  for (const auto& [matrix, count] : matrices)
    numbers += static_cast<double>(matrix.first) * static_cast<double>(matrix.second) *
               static_cast<double>(count);
  return numbers;
}

/// Y[m, n] = X[m, k] W, so many times.
Work product(int64_t count, int64_t m, int64_t n, int64_t k) {
  const auto size = [](int64_t a, int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
  };
  const double times = static_cast<double>(count), element = element_bytes(DType::bf16);
  return {.kernel = Kernel::gemm,
          .dtype = DType::bf16,
          .flops = 2 * times * size(m, n) * static_cast<double>(k),
          .read = whole_bytes(times * element * (size(m, k) + size(k, n))),
          .written = whole_bytes(times * element * size(m, n)),
          .shape = {count, m, n, k},
          .in_turn = true};
}

}  // namespace

ParameterCount beside_matrices(std::span<const Layer> stage) {
  ParameterCount rest = trained_of(stage);
  for (const Layer& layer : stage) {
    const double own = numbers_in(matrices_of(layer));
    const double experts = layer.trained ? 0 : std::min(layer.device_expert_parameters, own);
    rest.experts -= experts;
    rest.own -= own - experts;
  }
  return {.own = std::max(rest.own, 0.0), .experts = std::max(rest.experts, 0.0)};
}

bool steps_matrices(Optimizer optimizer) {
  return optimizer == Optimizer::muon || optimizer == Optimizer::shampoo ||
         optimizer == Optimizer::soap;
}

std::map<Matrix, int64_t> stepped_matrices(std::span<const Layer> stage,
                                           const StateOptions& options) {
  std::map<Matrix, int64_t> all;
  for (const Layer& layer : stage)
    for (const auto& [matrix, count] : matrices_of(layer)) all[matrix] += count;
  const int64_t shards = options.zero >= 1 ? options.shards : 1;
  for (auto& [matrix, count] : all) count = (count + shards - 1) / shards;
  return all;
}

std::vector<Work> orthogonalisation(std::span<const Layer> stage, const StateOptions& options) {
  std::vector<Work> products;
  for (const auto& [matrix, count] : stepped_matrices(stage, options)) {
    const int64_t times = steps * count;
    products.push_back(product(times, matrix.first, matrix.first, matrix.second));
    products.push_back(product(times, matrix.first, matrix.first, matrix.first));
    products.push_back(product(times, matrix.first, matrix.second, matrix.first));
  }
  return products;
}

}  // namespace pipewright
