// Lowers what a rank fetches from its host and leaves there.
#pragma once

#include <array>
#include <map>

#include "program/lowered_rank.hpp"

namespace pipewright {

/// The part that a rank has done of its work on what the host keeps. A part is a layer or what
/// stands for it. All members of the rank are lowered together.
class OffloadedRank {
 public:
  OffloadedRank(ProgramDraft& draft, LoweredRank& rank);

  bool has(int stage) const { return draft_.types.offloads(stage); }
  /// Fetches, before the first kernel of a part, what the part needs from the host.
  void begin_part(int part, const schedule::Action& a);
  /// Sends to the host, after the last kernel of a part, what the part leaves there. `turns`: the
  /// pass's backward is next.
  void end_part(int part, const schedule::Action& a, bool turns);
  /// Fetches weights anew, for they have been stepped. Activations may still be out.
  void fetch_anew();

 private:
  /// One part of one pass.
  struct Run {
    int stage, part;
    std::vector<OpId> ends;    ///< by member
    std::vector<OpId> leaves;  ///< by member: its activations; empty where they stay
  };
  using Piece = std::array<int, 4>;  ///< stage, micro-batch, slice, part

  static Piece piece_of(const schedule::Action& a, int part) {
    return {a.stage, a.micro_batch, a.slice, part};
  }
  void fetch_part(int part, const schedule::Action& a);
  void add_fetch(uint32_t type, const schedule::Action& a, const std::vector<OpId>& after);
  OpId add_copy(uint32_t member, uint32_t type, Stream stream, const schedule::Action& a);

  ProgramDraft& draft_;
  LoweredRank& rank_;
  size_t window_;                            ///< parts that are on the device at most
  std::vector<Run> runs_;                    ///< since the last optimizer step
  std::vector<OpId> stepped_;                ///< by member: the last optimizer step
  std::map<Piece, std::vector<OpId>> left_;  ///< by member: copies of activations to the host
};

}  // namespace pipewright
