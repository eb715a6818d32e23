// Finds the passes that a transfer joins: the one that made the message and the one that takes it.
#pragma once

#include <vector>

#include "program/program.hpp"
#include "result/result.hpp"

namespace pipewright {

struct MessageEnds {
  OpId producer = none;  ///< the last op of the pass that made it
  OpId consumer = none;  ///< the first op of the pass that takes it
};

/// The index finds passes by what they are, not by the edges of the program: those differ with the
/// way of sending. It knows only compute that takes time, for only that can be shown.
class MessageIndex {
 public:
  /// The index refers to `program`, which must outlive it.
  MessageIndex(const Program& program, const Timeline& timeline);
  /// An end that cannot be found is `none`.
  MessageEnds ends(OpId transfer) const;

 private:
  struct Piece {
    uint32_t rank;
    int32_t stage, micro_batch;
    int16_t slice;
    bool forward;
    auto operator<=>(const Piece&) const = default;
  };
  struct Entry {
    Piece piece;
    Time start;
    OpId op;
  };

  void add(const schedule::Action& action, uint32_t rank, Time start, OpId op);
  Piece made_by(OpId transfer) const;

  const Program& program_;
  std::vector<Entry> entries_;  ///< sorted by piece, then start
};

}  // namespace pipewright
