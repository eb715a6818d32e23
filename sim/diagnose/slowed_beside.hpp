// How much compute is slowed while data ranks communicate beside it, in a trace of our own.
//
// A piece of a pass takes f L + k o. L is what it takes by itself on a usual rank, f how many times
// as slow its rank is, o the time for which its rank communicates beside it. A slow rank lets the
// others wait, so that their pieces stand beside less communication than its own: without k a rank
// looks slower than it is. Pieces of one place in the same pass have one L on all ranks. For any k
// the f of a rank follows by least squares, and k is that which leaves least. A k
// that leaves no less than chance would is none.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/units.hpp"
#include "diagnose/weight_gathers.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

class SlowedBeside {
 public:
  /// Adds a piece of a rank. `beside`: for how long the rank communicates meanwhile.
  void add(const RunSlice& piece, Time beside);

  /// The part of the time beside communication by which compute takes longer, from 0 to 1; 0 where
  /// ranks do not differ enough to tell.
  double part() const;

 private:
  struct Piece {
    double length_s = 0, beside_s = 0;
  };
  /// Stage, kind, micro-batch, slice.
  using Pass = std::tuple<int32_t, RunSliceKind, int32_t, int32_t>;
  using Pieces = std::vector<Piece>;

  double left_over(double part) const;
  double compared() const;

  std::map<Pass, std::map<uint32_t, Pieces>> passes_;  ///< by rank, in order
  bool communicates_ = false;                          ///< whether anything stands beside compute
};

/// What communication beside compute does to a trace.
struct SlowedCompute {
  double part = 0;           ///< see SlowedBeside
  std::vector<Time> longer;  ///< by slice of the trace: so much longer it computes
};
SlowedCompute slowed_compute(const RunTrace& trace, const WeightGathers& gathers);

}  // namespace pipewright::diagnose
