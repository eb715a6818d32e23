// The parts of a pass, each from the beginning of what data ranks communicate meanwhile to that of
// the next.
//
// What they gather or sum within a part and what they compute go side by side, and the next part
// begins when both have ended. Compute hides collectives as long as it is the longer one: a rank
// that computes faster gets no further than these. Of context ranks the same holds for each piece
// of a pass, beside which the next keys and values come: the piece after it needs both.
#pragma once

#include <vector>

#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

/// A piece of a pass, and what context ranks exchange beside it.
struct ExchangingPiece {
  Time own, exchange;
};

struct PassWindow {
  Time length;
  Time own;          ///< what its rank computes of it
  Time collectives;  ///< what of it data ranks communicate
  Time exchanges{};  ///< for how long its rank computes nothing and exchanges within its replica
  std::vector<ExchangingPiece> pieces{};  ///< those that begin in it

  /// How long its rank computes and exchanges, in seconds, if it computes for `own_part` of the
  /// time and if what is seen of exchanges takes `seen_part` of it. Exchanges that faster pieces no
  /// longer hide are seen.
  double busy_s(double own_part, double seen_part) const;
};

class PassWindows {
 public:
  explicit PassWindows(const RunTrace& trace);

  /// The parts of the pass that a rank has between `begin` and `end`. Empty: nothing is
  /// communicated beside what it computes. `slowed`: by this part of the time beside communication
  /// compute takes longer, which is none of its own.
  std::vector<PassWindow> of(size_t rank, Time begin, Time end, double slowed) const;

 private:
  struct Interval {
    Time start, end;
  };
  using Intervals = std::vector<Interval>;  ///< in order; none overlap
  /// An exchanging piece by its start.
  using Exchanging = std::vector<std::pair<Time, ExchangingPiece>>;
  struct OfRank {
    Intervals collectives;  ///< those that follow one another are one
    Intervals pieces;       ///< of passes; those that follow one another are one
    Intervals exchanges;    ///< of tensor, context and expert ranks, as well
    Exchanging exchanging;  ///< in order
  };

  static void add(Intervals& all, const RunSlice& slice, Time gap);
  static Intervals::const_iterator first_after(const Intervals& all, Time time);
  static Time within(const Intervals& all, Time begin, Time end);
  static Time within_both(const Intervals& all, const Intervals& others, Time begin, Time end);
  static Exchanging exchanging(const Intervals& pieces, const Intervals& exchanges);
  static PassWindow window_of(const OfRank& rank, Time begin, Time end, double slowed);

  std::vector<OfRank> ranks_;
};

}  // namespace pipewright::diagnose
