// SBP signatures of a chain of weighted operators on a grid of devices: AutoDDL's search.
#pragma once

#include <cstdint>
#include <vector>

namespace pipewright::search {

/// How one dimension of the grid cuts an operator y = x w.
enum class Signature : uint8_t {
  batch,      ///< x S(0), w B, y S(0)
  column,     ///< x B, w S(1), y S(1)
  row,        ///< x S(1), w S(0), y P
  replicate,  ///< x, w, y B
};
inline constexpr int signature_count = 4;

struct Operator {
  double seconds = 0;        ///< forward and backward, on one device, uncut
  double weights = 0;        ///< bytes of gradients
  double output = 0;         ///< bytes, of the whole batch
  bool whole_input = false;  ///< a norm in front needs all features: no `row`
  bool cuttable = true;      ///< else only `batch` and `replicate`
};

struct GridDimension {
  int size = 1;
  double latency_s = 0, bandwidth = 0;
};

struct SignatureProblem {
  std::vector<Operator> operators;
  std::vector<GridDimension> grid;
  int times = 1;  ///< the chain is run so often, its end feeding its start
};

/// Signature of operator i in dimension d at i * dimensions + d.
using Signatures = std::vector<Signature>;

struct SignaturePlan {
  double seconds = 0;
  Signatures signatures;
};

double seconds_of(const SignatureProblem& problem, const Signatures& signatures);

/// Coordinate descent over windows of two operators, from `restarts` starts. The same for the same
/// seed.
SignaturePlan descend(const SignatureProblem& problem, int restarts, uint64_t seed);

/// All there are, as a number that may be infinite.
double signature_choices(const SignatureProblem& problem);
/// The best of all.
SignaturePlan try_all(const SignatureProblem& problem);

}  // namespace pipewright::search
