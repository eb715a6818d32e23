// What an event-driven run knows of every op.
#pragma once

#include <span>
#include <vector>

#include "base/huge_pages.hpp"
#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright {

/// The data of an op that a run reads and writes, together in half a cache line.
struct alignas(32) EventNode {
  static constexpr int32_t ended = -1, unmatched = -2, in_flight = -3;
  static constexpr uint32_t no_lane = (1u << 29) - 1;

  Time ready;     ///< latest end of its dependencies so far
  Time start;     ///< latest end of what precedes it in its lanes so far
  int32_t waits;  ///< for as many ends that are not known yet; or ended, unmatched, in_flight
  uint32_t lane : 29, keeps_lane : 1;  ///< where it competes
  uint32_t shares : 1;                 ///< links, so that its end is not known when it starts
  uint32_t more : 1;                   ///< edges than the two of `to`
  Edge to[2];                          ///< `none` where there are fewer
};

class EventNodes {
 public:
  explicit EventNodes(const Program& program);

  size_t size() const { return nodes_.size(); }
  EventNode& operator[](OpId op) { return nodes_[op]; }
  const EventNode& operator[](OpId op) const { return nodes_[op]; }

  /// `before` has, by op, the latest ends of what came before all of it.
  void begin_after(std::span<const Span> before);
  /// Notes which ops compete for lanes whose order is not given.
  void note_competitors(const Program& program);
  Timeline timeline(std::span<const Time> duration) const;
  /// Tells by op whether its end is known.
  std::vector<bool> ended() const;

 private:
  std::vector<EventNode, HugePages<EventNode>> nodes_;
};

}  // namespace pipewright
