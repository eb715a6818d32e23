// The part of a program that one rank does, when ranks are processes that know of each other only
// by packets.
//
// The end of an op is seen by its rank; of a transfer by the receiver; of a collective by all of
// its members. An op is started by its rank, the sender of a transfer, all members of a collective.
// What one mesh sends another is a collective of both.
// So of an edge X -> Y those that start Y wait who see X end; where none of them does, the first
// that sees X signals the first that starts Y.
#pragma once

#include <map>
#include <vector>

#include "program/program.hpp"

namespace pipewright::live {

class Share {
 public:
  /// Throws Failure where a collective's members are not ranks of the program by themselves.
  Share(const Program& program, uint32_t rank);

  bool sees(OpId op) const;
  bool starts(OpId op) const;
  /// Returns, by op, how many ends each op that this rank starts waits for.
  const std::vector<uint32_t>& waits() const { return waits_; }
  /// Tells whether this rank waits with Y of the edge X -> Y for X.
  bool waits_for(OpId x, OpId y) const;
  /// Returns the ranks that this rank tells that `op` has ended.
  std::vector<uint32_t> signals(OpId op) const;
  /// Tells whether all its members carry the op out together, step by step.
  bool is_exchange(OpId op) const {
    return program_.type(op).kind == OpKind::collective || program_.type(op).resharding != none;
  }
  /// Returns the members of a collective, in the order of its ring.
  const std::vector<uint32_t>& members(OpId op) const;
  /// Ops whose end this rank sees.
  size_t seen() const { return seen_; }
  /// Ops that this rank starts.
  size_t started() const { return started_; }

 private:
  std::vector<uint32_t> seers(OpId op) const;
  std::vector<uint32_t> starters(OpId op) const;

  const Program& program_;
  uint32_t rank_;
  std::vector<std::vector<uint32_t>> groups_;  ///< of ranks, by group
  /// Of two meshes, by their pipeline ranks.
  std::map<std::pair<int32_t, int32_t>, std::vector<uint32_t>> meshes_;
  std::vector<uint32_t> waits_;
  size_t seen_ = 0, started_ = 0;
};

}  // namespace pipewright::live
