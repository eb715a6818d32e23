// What a compute op is made of: a backward pass may run the forward pass again first, and an op of
// many short kernels lasts as long as its host takes to start them.
#pragma once

#include <array>

#include "result/accounts/breakdown.hpp"

namespace pipewright {

/// The parts of an op's length, which add up to one.
struct ComputeShare {
  std::array<double, compute_kinds> compute{};
  double host = 0;
};

/// Tells what each op is made of.
class ComputeShares {
 public:
  virtual ~ComputeShares() = default;
  virtual ComputeShare of(const Program& program, OpId op) const = 0;
};

/// Every op is of the one kind that its pass says; ops of traces are of any.
class SharesByPass final : public ComputeShares {
 public:
  ComputeShare of(const Program& program, OpId op) const override;
};

/// Returns the kind of what `pass` computes.
ComputeKind kind_of(schedule::Pass pass);

}  // namespace pipewright
