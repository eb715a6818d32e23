// Lowers the passes of one pipeline rank: kernels and collectives of their segments, with what the
// parts of a pass need from replicas and host.
#pragma once

#include <map>

#include "program/lower_offload.hpp"
#include "program/lower_sharding.hpp"

namespace pipewright {

class PassLowering {
 public:
  using Action = schedule::Action;

  PassLowering(ProgramDraft& draft, LoweredRank& rank)
      : draft_(draft), rank_(rank), sharded_(draft, rank), offloaded_(draft, rank) {}

  /// Lowers one pass. `last`: it completes the gradients of its stage for an optimizer step.
  /// `turns`: its own backward is next.
  void lower(const Action& a, bool last, bool turns);
  /// Lowers a forward and a backward side by side, segment by segment: one computes while the
  /// other's collectives run. `last`: the backward completes the gradients of its stage.
  void lower_beside(const Action& forward, const Action& backward, bool last);
  /// Makes the messages of a pair wait for all of it: both receives are awaited before it, and both
  /// sends leave after it.
  void join_ends(const Action& forward, const Action& backward);
  /// Lowers a forward and a backward that are one op.
  void lower_pair(const Action& a, const Action& b, uint32_t type);
  /// Returns what ended each part of the stage, once; where nothing was noted, all that the last
  /// pass of the stage did.
  std::vector<OpId> take_ends_of_parts(int stage, uint32_t member);
  void before_optimizer();
  void after_optimizer();

 private:
  /// A pass while it is lowered.
  struct Passing {
    const Action& action;
    const std::vector<SegmentTypes>& segments;
    bool last, turns;  ///< see lower()
    bool notes_ends;   ///< somebody waits for the ends of its parts
    Chains chains;     ///< its own among those of the rank
    size_t done = 0;   ///< segments lowered

    bool is_over() const { return done == segments.size(); }
    const SegmentTypes& segment() const { return segments[done]; }
    int chain() const { return chains.first + segment().chain; }
    /// Tells whether a later segment takes up what its segment computes, with no collective
    /// between.
    bool hands_on() const {
      if (segment().collective != none) return false;
      for (size_t next = done + 1; next < segments.size(); ++next)
        if (segments[next].chain == segment().chain || segments[next].joins) return true;
      return false;
    }
    /// Tells whether gradients that somebody waits for are complete with its segment.
    bool completes() const { return notes_ends && segment().ends_part; }
  };

  Passing begin(const Action& a, bool last, bool turns) const;
  void lower_segment(Passing& pass);
  void begin_part(const SegmentTypes& segment, const Action& a);
  void end_part(const SegmentTypes& segment, const Action& a, bool last, bool turns);
  void add_kernels(const Passing& pass);
  void add_collective(const Passing& pass);
  void depend_on_own_stage(const Action& a, uint32_t member, OpId op);
  void depend_on_neighbour(const Action& a, uint32_t member, OpId op);
  void follow_backwards(const Action& a, uint32_t member, OpId op);

  ProgramDraft& draft_;
  LoweredRank& rank_;
  ShardedRank sharded_;
  OffloadedRank offloaded_;
  /// The ops that completed the gradients of each part of a stage, by stage and member.
  std::map<std::pair<int, uint32_t>, std::vector<OpId>> part_ends_;
};

}  // namespace pipewright
