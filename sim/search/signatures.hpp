// SBP signatures of a chain of weighted operators on a grid of devices: AutoDDL's search.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "workload/signatures.hpp"

namespace pipewright::search {

struct Operator {
  double seconds = 0;        ///< forward and backward, on one device, uncut
  double weights = 0;        ///< bytes of gradients
  double output = 0;         ///< bytes, of the whole batch
  int64_t in = 0, out = 0;   ///< that `row` and `column` must divide; 0: anything does
  bool whole_input = false;  ///< a norm in front needs all features: no `row`
  bool cuttable = true;      ///< else only `batch` and `replicate`
};

struct SignatureProblem {
  std::vector<Operator> operators;
  TensorGrid grid{TensorKind::signatures, {1, 1, 1}};
  /// Seconds of a collective over one axis of the grid.
  std::function<double(const CollectiveWork&)> price;
  int64_t batch = 0;  ///< samples, that `batch` must divide; 0: anything does
  int times = 1;      ///< the chain is run so often, its end feeding its start
  /// A stream of sums runs beside the chain: what has `whole_input` takes it, the operator before
  /// adds to it.
  bool residual = false;
};

/// The signatures by operator.
using Choice = std::vector<Signatures>;

struct SignaturePlan {
  double seconds = 0;
  Choice choice;
};

double seconds_of(const SignatureProblem& problem, const Choice& choice);

/// Coordinate descent over windows of two operators, from `restarts` starts. The same for the same
/// seed.
SignaturePlan descend(const SignatureProblem& problem, int restarts, uint64_t seed);

/// All there are, as a number that may be infinite.
double signature_choices(const SignatureProblem& problem);
/// The best of all.
SignaturePlan try_all(const SignatureProblem& problem);

}  // namespace pipewright::search
