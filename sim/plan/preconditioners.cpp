// A matrix G of gradients, r by c, has two products G G^T and G^T G in fp32, of r r and c c
// numbers.
//
//   Shampoo   cuts a matrix into blocks of at most w by w, each with products of its own. It keeps
//             their inverse roots beside them. A step adds to the products (2 FLOPs a number, times
//             c or r) and multiplies by both roots (as many). Every k steps a root is made anew: an
//             eigendecomposition of 9 n^3 FLOPs (Golub and Van Loan, Matrix Computations, 8.3) and
//             a product of 2 n^3.
//   SOAP      has no product of a side longer than w. It keeps a basis beside each. A step adds to
//             the products, and takes gradients and moment into the basis and the step back: three
//             products a side. Every k steps a basis is made anew by a product, 2 n^3, and a QR
//             decomposition, 8/3 n^3.
// Matrices are those that Muon steps (muon.cpp).
// Source: github.com/facebookresearch/optimizers, distributed_shampoo/README.md (w 8192, k 100);
// arXiv 2309.06497; github.com/nikhilvyas/SOAP (w 10000, k 10); arXiv 2409.11321.
// Left out: that decompositions run slower than products of as many FLOPs; the gathering of what
// replicas have stepped beyond that of weights.
#include "plan/preconditioners.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plan/muon.hpp"

namespace pipewright {
namespace {

bool preconditions(Optimizer optimizer) {
  return optimizer == Optimizer::shampoo || optimizer == Optimizer::soap;
}

/// The lengths of the pieces that a side is cut into, with how many there are of each.
std::vector<std::pair<int64_t, int64_t>> pieces_of(int64_t side, const StateOptions& options) {
  const int64_t width = options.preconditioner.width;
  if (options.optimizer == Optimizer::soap || side <= width) return {{side, 1}};
  std::vector<std::pair<int64_t, int64_t>> pieces{{width, side / width}};
  if (side % width > 0) pieces.emplace_back(side % width, 1);
  return pieces;
}

/// One side of a block of a matrix, the other one, and how many such sides a device steps.
struct Side {
  int64_t length, other, count;
};

/// The sides that have products of gradients.
std::vector<Side> sides_of(std::span<const Layer> stage, const StateOptions& options) {
  std::vector<Side> sides;
  if (!preconditions(options.optimizer)) return sides;
  const auto add = [&](int64_t length, int64_t other, int64_t count) {
    if (length <= options.preconditioner.width) sides.push_back({length, other, count});
  };
  for (const auto& [matrix, count] : stepped_matrices(stage, options)) {
    for (const auto& [rows, down] : pieces_of(matrix.first, options)) {
      for (const auto& [columns, across] : pieces_of(matrix.second, options)) {
        add(rows, columns, count * down * across);
        add(columns, rows, count * down * across);
      }
    }
  }
  return sides;
}

/// C[m, n] = A[m, k] B in fp32, so many times one after the other.
Work multiplied(int64_t times, int64_t m, int64_t n, int64_t k) {
  const auto size = [](int64_t a, int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
  };
  const double all = static_cast<double>(times), element = element_bytes(DType::fp32);
  return {.kernel = Kernel::gemm,
          .dtype = DType::fp32,
          .flops = 2 * all * size(m, n) * static_cast<double>(k),
          .read = whole_bytes(all * element * (size(m, k) + size(k, n))),
          .written = whole_bytes(all * element * size(m, n)),
          .shape = {times, m, n, k},
          .in_turn = true};
}

/// What is made anew of the products of a side takes `cubes` n^3 FLOPs, of which a step has its
/// part: a product of as many.
Work made_anew(const Side& side, double cubes, int64_t every) {
  const double depth = static_cast<double>(side.length * side.count) * cubes / 2;
  const auto part = static_cast<int64_t>(std::llround(depth / static_cast<double>(every)));
  return multiplied(1, side.length, side.length, std::max<int64_t>(part, 1));
}

}  // namespace

PreconditionerShape preconditioner_shape(const Experiment& e) {
  if (e.gives("preconditioner") && !preconditions(e.optimizer))
    e.misfit("preconditioner",
             "preconditioner is about products of gradients: optimizer must be shampoo or soap");
  const PreconditionerShape usual = e.optimizer == Optimizer::soap
                                        ? PreconditionerShape{.width = 10000, .every = 10}
                                        : PreconditionerShape{};
  return {.width = e.preconditioner.width > 0 ? e.preconditioner.width : usual.width,
          .every = e.preconditioner.every > 0 ? e.preconditioner.every : usual.every};
}

double preconditioner_bytes(std::span<const Layer> stage, const StateOptions& options) {
  double numbers = 0;
  for (const Side& side : sides_of(stage, options))
    numbers += 2 * static_cast<double>(side.count) * static_cast<double>(side.length) *
               static_cast<double>(side.length);
  return element_bytes(DType::fp32) * numbers;
}

std::vector<Work> preconditioning(std::span<const Layer> stage, const StateOptions& options) {
  const bool soap = options.optimizer == Optimizer::soap;
  const int64_t applications = soap ? 3 : 1;
  const double cubes = soap ? 2 + 8.0 / 3 : 9 + 2;
  std::vector<Work> work;
  for (const Side& side : sides_of(stage, options)) {
    work.push_back(multiplied(side.count, side.length, side.length, side.other));
    work.push_back(multiplied(side.count * applications, side.length, side.other, side.length));
    work.push_back(made_anew(side, cubes, options.preconditioner.every));
  }
  return work;
}

}  // namespace pipewright
