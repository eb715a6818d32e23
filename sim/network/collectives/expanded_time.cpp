#include <algorithm>
#include <array>
#include <unordered_map>

#include "network/collectives/edge_route.hpp"

namespace pipewright::collective {
namespace {

struct Line {
  int to = -1;
  Time latency;
  Bandwidth bandwidth;
};

/// Routes by pair of ranks; most members send to one other for long.
class Lines {
 public:
  Lines(const Topology& topology, const Members& members)
      : topology_(topology), members_(members), last_(members.devices.size() + 1) {}

  const Line& of(int from, int to) {
    Line& last = last_[static_cast<size_t>(from)];
    if (last.to == to) return last;
    const uint64_t key = uint64_t{static_cast<uint32_t>(from)} << 32 | static_cast<uint32_t>(to);
    const auto [found, is_new] = known_.try_emplace(key);
    if (is_new) {
      const Route route = edge_route(topology_, members_, from, to);
      found->second = {to, route.latency, route.bottleneck};
    }
    return last = found->second;
  }

 private:
  const Topology& topology_;
  const Members& members_;
  std::vector<Line> last_;
  std::unordered_map<uint64_t, Line> known_;
};

/// The state of one rank.
struct State {
  std::array<Time, streams> ready{};    ///< what it got in earlier rounds, by stream
  std::array<Time, streams> arrived{};  ///< and with this round's
  Time sending, receiving;              ///< until when its port is taken
};

}  // namespace

Time expanded_time(const Topology& topology, const Members& members, const Rounds& rounds) {
  Lines lines(topology, members);
  std::vector<State> states(members.devices.size() + 1);
  const int inside = members.in_switch();
  std::vector<Edge> messages;
  Time end;
  for (int64_t round = 0; round < rounds.count; ++round) {
    messages.clear();
    rounds.messages(round, messages);
    for (const Edge& message : messages) {
      const Line& line = lines.of(message.from, message.to);
      State& from = states[static_cast<size_t>(message.from)];
      State& to = states[static_cast<size_t>(message.to)];
      const Time moving = message.bytes / line.bandwidth, ready = from.ready[message.reads];
      // A switch has a port for each member, not one for all.
      const Time start = message.from == inside ? ready : std::max(ready, from.sending);
      const Time taken = message.to == inside ? start : std::max(start, to.receiving);
      from.sending = start + moving;
      to.receiving = taken + moving;
      Time& arrived = to.arrived[message.writes];
      arrived = std::max(arrived, to.receiving + line.latency);
      end = std::max(end, arrived);
    }
    for (const Edge& message : messages) {
      State& to = states[static_cast<size_t>(message.to)];
      to.ready[message.writes] = to.arrived[message.writes];
    }
  }
  return end;
}

}  // namespace pipewright::collective
