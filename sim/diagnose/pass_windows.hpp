// The parts of a pass, each from the beginning of what data ranks communicate meanwhile to that of
// the next.
//
// What they gather or sum within a part and what they compute go side by side, and the next part
// begins when both have ended. Compute hides collectives as long as it is the longer one: a rank
// that computes faster gets no further than these.
#pragma once

#include <vector>

#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

struct PassWindow {
  Time length;
  Time own;          ///< what its rank computes of it
  Time collectives;  ///< what of it data ranks communicate
};

class PassWindows {
 public:
  explicit PassWindows(const RunTrace& trace);

  /// The parts of the pass that a rank has between `begin` and `end`. Empty: nothing is
  /// communicated meanwhile. `slowed`: by this part of the time beside communication compute takes
  /// longer, which is none of its own.
  std::vector<PassWindow> of(size_t rank, Time begin, Time end, double slowed) const;

 private:
  struct Interval {
    Time start, end;
  };
  using Intervals = std::vector<Interval>;  ///< in order; none overlap
  struct OfRank {
    Intervals collectives;  ///< those that follow one another are one
    Intervals pieces;       ///< of passes
  };

  static void add(Intervals& all, const RunSlice& slice, Time gap);
  static Intervals::const_iterator first_after(const Intervals& all, Time time);
  static Time within(const Intervals& all, Time begin, Time end);
  static PassWindow window_of(const OfRank& rank, Time begin, Time end, double slowed);

  std::vector<OfRank> ranks_;
};

}  // namespace pipewright::diagnose
