// The steps of a trace when some things are cured.
//
// Cures of one op multiply where they are of different aspects, as of a micro-batch that is long on
// a device that is slow. Of one aspect the first cures it: the others are other names for the same
// thing.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/candidates.hpp"
#include "diagnose/lockstep.hpp"
#include "diagnose/sum_queues.hpp"

namespace pipewright::diagnose {

/// What is left, by op.
struct Cured {
  std::vector<Time> lengths;
  std::vector<uint16_t> aspects;  ///< that were cured, as bits
  Lockstep::Parts parts;          ///< of passes in lockstep
  double step_s = 0;              ///< the mean step
};

class Cures {
 public:
  /// `evidence` must outlive it.
  explicit Cures(const Evidence& evidence);

  /// The trace as it was measured.
  const Cured& none() const { return none_; }
  /// What is left of `from` when this is cured, too.
  Cured with(const Candidate& one, const Cured& from) const;
  /// The mean step when ops take these lengths, in seconds.
  double step_s(const std::vector<Time>& lengths) const;

 private:
  void cure_part(Aspect aspect, OpId op, Time length, Lockstep::Parts& parts) const;

  const Evidence& evidence_;
  Lockstep lockstep_;
  SumQueues sums_;
  Cured none_;
};

}  // namespace pipewright::diagnose
