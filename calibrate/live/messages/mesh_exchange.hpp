// A tensor that all of one mesh send all of another, as what each of their ranks sends and gets.
//
// In step k every rank sends to the k-th next of both meshes; most have nothing for it. A rank that
// takes gets the sequences that it works on from the replicas that have them, whose tensor ranks
// hold the same and take turns: `send-recv`, whatever the experiment says of `resharding`.
#pragma once

#include <vector>

#include "program/program.hpp"

namespace pipewright::live {

/// Returns the ranks of the mesh that sends, then those of the mesh that takes.
std::vector<uint32_t> ranks_of_meshes(const Program& program, OpId resharding);

class MeshExchange {
 public:
  /// Equal parts of the tensor, of which there are parts().
  struct Range {
    int64_t first = 0, count = 0;
  };

  /// The exchange as `rank`, which is of one of the meshes, makes it.
  MeshExchange(const Program& program, OpId resharding, uint32_t rank);

  bool sends() const { return own_.sends; }
  int steps() const { return static_cast<int>(places_.size()) - 1; }
  uint32_t to(int step) const { return next(step).rank; }
  uint32_t from(int step) const { return before(step).rank; }
  Range outgoing(int step) const { return between(own_, next(step)); }
  Range incoming(int step) const { return between(before(step), own_); }
  /// Returns what the rank has or wants.
  Range own() const { return range(own_); }
  int64_t parts() const { return int64_t{senders_} * takers_; }

 private:
  struct Place {
    uint32_t rank = 0;
    bool sends = false;
    int replica = 0, tensor = 0;
  };
  const Place& next(int step) const;
  const Place& before(int step) const;
  Range range(const Place& place) const;
  Range between(const Place& from, const Place& to) const;

  std::vector<Place> places_;
  Place own_;
  size_t number_ = 0;             ///< of the rank among them
  int senders_ = 1, takers_ = 1;  ///< replicas of the two meshes
  int tensor_ = 1;                ///< ranks of a replica that sends
};

}  // namespace pipewright::live
