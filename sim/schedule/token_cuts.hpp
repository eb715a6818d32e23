// Cuts a sequence into token slices that run through the pipeline one after the other.
#pragma once

#include <functional>
#include <vector>

#include "base/units.hpp"

namespace pipewright::schedule {

/// Time of a slice of `length` tokens after `context` tokens, forward plus backward, on one stage.
using SliceCost = std::function<Time(int length, int context)>;

/// A sequence that may be cut every `granularity` tokens; the last piece may be shorter.
struct Sequence {
  int tokens = 0;
  int granularity = 1;
  int pieces() const { return (tokens + granularity - 1) / granularity; }
};

/// TeraPipe's dynamic program (arXiv 2102.07988, section 3.3), exact for equal stages: the lengths
/// that minimise, with t the cost of a slice, p ranks and m micro-batches one after the other,
///   m sum t + (p - 1) max t.
/// For a bound on max t the least sum follows by dynamic programming over prefixes; the bounds
/// worth trying are the costs of single slices. O(pieces^2) for each of them, and most are skipped.
std::vector<int> fastest_cuts(const Sequence& sequence, const SliceCost& cost, int ranks,
                              int micro_batches);

/// The lengths of `count` slices whose dearest is as cheap as can be (Seq1F1B's balance of
/// compute). `count` is at most sequence.pieces().
std::vector<int> balanced_cuts(const Sequence& sequence, const SliceCost& cost, int count);

}  // namespace pipewright::schedule
