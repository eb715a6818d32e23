// What a rank waits for while it computes nothing.
#pragma once

#include <utility>
#include <vector>

#include "result/accounts/breakdown.hpp"
#include "result/accounts/participants.hpp"
#include "result/accounts/precedence.hpp"

namespace pipewright {

/// From `begin` to `end` a server of a rank computes nothing; then `next` starts. Pauses of the
/// timeline do not count.
struct Gap {
  Time begin, end;
  OpId next = none;  ///< none: nothing more is computed
};

/// The gaps of one rank after another, those of a rank in the order of time.
class IdleTime {
 public:
  IdleTime(const Program& program, const Timeline& timeline);

  /// Goes on with `rank`, from its first gap.
  void start_rank(uint32_t rank);
  /// Adds the picoseconds of `gap` to exposed communication, host and bubble.
  void account(const Gap& gap, Breakdown& breakdown);

 private:
  /// Communication under way in a gap, cut to it.
  struct UnderWay {
    Time begin, end;
    Time over;  ///< when it ends, perhaps after the gap
    Traffic traffic;
  };

  Span span(OpId op) const { return without_pauses(repetitions_, timeline_.spans[op]); }
  void find_candidates(const Gap& gap);
  std::pair<size_t, Time> ended_by(Time start) const;
  void find_waits(const Gap& gap);
  void find_before_next_iteration(const Gap& gap);
  bool finds(OpId op);
  void add_under_way(OpId op, const Gap& gap);
  Time paint(const Gap& gap, Breakdown& breakdown);
  Time& place_of_rest(Breakdown& breakdown);

  const Program& program_;
  const Timeline& timeline_;
  Precedence precedence_;
  Participants participants_;
  bool one_stage_ = true;
  Repetitions repetitions_;        ///< of the rank
  std::span<const OpId> of_rank_;  ///< that the rank takes part in
  size_t next_ = 0;                ///< of them, the first that has not been looked at
  std::vector<OpId> candidates_;   ///< of them, those that are not over at the gap's beginning
  std::vector<OpId> queue_;
  std::vector<uint32_t> seen_;  ///< by op, the search that visited it
  uint32_t search_ = 0;
  std::vector<UnderWay> under_way_;
};

}  // namespace pipewright
