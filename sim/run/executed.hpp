// A program that has run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/contention.hpp"
#include "engine/op_routes.hpp"
#include "engine/packet_plan.hpp"
#include "engine/timeline.hpp"
#include "run/prepared.hpp"

namespace pipewright {

struct Executed {
  Program program;
  Timeline timeline;
  Time cut;  ///< all bytes over the busiest link at its capacity; zero where links are not shared
  double wall_s = 0;               ///< from program to timeline
  Folding folding;                 ///< of the ranks that were simulated
  std::optional<LinkBytes> bytes;  ///< by link, where the program ran under flow
  /// The longest chain of data dependencies, where the program leaves micro-batches out.
  std::optional<Time> longest_chain;
  std::optional<PacketCounts> packets;  ///< where nodes sent each other packets
  /// Where the program leaves micro-batches out: the links that may be full, and whether they were.
  std::optional<Contention> contention;
  bool shared_links = false;
  std::vector<std::string> notes;  ///< on what had to be unfolded
};

/// `timeline`, in which `program` ran with the ranks that `prepared` simulates.
inline Executed executed_as_folded(const Prepared& prepared, Program program, Timeline timeline) {
  Executed executed;
  executed.program = std::move(program);
  executed.timeline = std::move(timeline);
  executed.folding = prepared.folding;
  return executed;
}

}  // namespace pipewright
