// The parts of a pass, each from the beginning of what data ranks communicate meanwhile to that of
// the next.
//
// What they gather or sum within a part and what they compute go side by side, and the next part
// begins when both have ended. Compute hides collectives as long as it is the longer one: a rank
// that computes faster gets no further than these. Of context ranks the same holds for each piece
// of a pass, beside which the next keys and values come: the piece after it needs both.
#pragma once

#include <vector>

#include "diagnose/time_ranges.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

/// A piece of a pass, and what context ranks exchange beside it.
struct ExchangingPiece {
  Time own, exchange;
};

struct PassWindow {
  Time length;
  Time own;          ///< what its rank computes of it
  Time collectives;  ///< what of it data ranks communicate and the next part waits for
  Time exchanges{};  ///< for how long its rank computes nothing and exchanges within its replica
  std::vector<ExchangingPiece> pieces{};  ///< those that begin in it
  Time sums{};  ///< what of it data ranks communicate and no pass waits for

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
  /// An exchanging piece by its start.
  using Exchanging = std::vector<std::pair<Time, ExchangingPiece>>;
  struct OfRank {
    TimeRanges communication;  ///< of data ranks
    TimeRanges collectives;    ///< the same without what no pass waits for
    TimeRanges pieces;         ///< of passes
    TimeRanges exchanges;      ///< of tensor, context and expert ranks
    Exchanging exchanging;     ///< in order
  };

  static Exchanging exchanging(const std::vector<TimeRange>& pieces,
                               const std::vector<TimeRange>& exchanges);
  static PassWindow window_of(const OfRank& rank, Time begin, Time end, double slowed);

  bool sums_hold_passes_ = false;
  std::vector<OfRank> ranks_;
};

}  // namespace pipewright::diagnose
