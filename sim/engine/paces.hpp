// Ranks that may keep a pace of their own while micro-batches repeat each other.
//
// What two ranks do in one micro-batch after the other couples them: messages, collectives, and
// links that may be full. Replicas of a job are most often not coupled until they sum gradients. So
// each repeats itself by a period of its own, however little longer than that of another.
//
// Where a period stands for n more, a rank with the period P leaves out n P. Spans leave out what
// the shortest period does, the same for all. What is left, n (P - shortest), is a pause behind the
// period of all others. So ranks meet in the spans as they do in the whole run.
#pragma once

#include <optional>
#include <vector>

#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright {

struct Contention;

/// Ranks by the group that they are coupled in.
struct RankGroups {
  std::vector<uint32_t> of_rank;  ///< empty: all ranks are one group
  uint32_t count = 1;

  uint32_t of(uint32_t rank) const { return of_rank.empty() ? 0 : of_rank[rank]; }
};

/// Returns the groups of `program`, which leaves micro-batches out and ran as in `timeline`.
/// `contention` has the links that may be full; null where none may.
RankGroups coupled_ranks(const Program& program, const Timeline& timeline,
                         const Contention* contention);

/// Returns `timeline`, whose paces are those of `groups` in their order, with the pauses that make
/// up for what each leaves out beyond the others. Nothing is returned where groups meet while one
/// of them repeats itself, and where links would be shared for the pauses. No op may have been held
/// up on links.
std::optional<Timeline> with_pauses(const Program& program, const RankGroups& groups,
                                    const Contention* contention, Timeline timeline);

}  // namespace pipewright
