#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/clock_exceeded.hpp"
#include "base/stop.hpp"
#include "network/collectives/edge_route.hpp"

namespace pipewright::collective {
namespace {

struct Line {
  int to = -1;
  Time latency;
  Bandwidth bandwidth;
  uint32_t leaves = 0, enters = 0;  ///< ports
};

/// Until when a port is taken, each way.
struct Port {
  Time sending, receiving;
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
      const bool stays = in_one_node(from, to);
      found->second = {to, route.latency, route.bottleneck,
                       stays ? port_at(route.links.front()) : port_out_of(from),
                       stays ? port_at(route.links.back()) : port_out_of(to)};
    }
    return last = found->second;
  }

  Port& port(uint32_t number) { return ports_[number]; }

 private:
  bool in_one_node(int from, int to) const {
    const int inside = members_.in_switch();
    const auto node = [&](int rank) {
      return topology_.node(members_.devices[static_cast<size_t>(rank)]);
    };
    return from == inside || to == inside || node(from) == node(to);
  }
  uint32_t port_at(LinkId link) { return numbered(link); }
  uint32_t port_out_of(int rank) {
    return numbered(topology_.links().size() + static_cast<size_t>(rank));
  }
  uint32_t numbered(size_t key) {
    const auto [found, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(ports_.size()));
    if (is_new) ports_.emplace_back();
    return found->second;
  }

  const Topology& topology_;
  const Members& members_;
  std::vector<Line> last_;
  std::unordered_map<uint64_t, Line> known_;
  std::unordered_map<size_t, uint32_t> numbers_;  // of ports, by link, then by rank
  std::vector<Port> ports_;
};

/// Some ten seconds of work, and more than 16,384 ranks need for a ring.
constexpr double most_messages = 1e9;

void check_count(const Rounds& rounds, size_t ranks) {
  const double messages = static_cast<double>(rounds.count) * static_cast<double>(ranks);
  if (messages > most_messages)
    throw InputError(fmt::format(
        "a collective over {} ranks takes {} rounds of messages; at most {:.0f} messages "
        "are simulated one by one: leave out --expand-collectives",
        ranks, rounds.count, most_messages));
}

/// The state of one rank.
struct State {
  std::array<Time, streams> ready{};    ///< what it got in earlier rounds, by stream
  std::array<Time, streams> arrived{};  ///< and with this round's
};

}  // namespace

Time expanded_time(const Topology& topology, const Members& members, const Rounds& rounds) {
  check_count(rounds, members.devices.size());
  Lines lines(topology, members);
  std::vector<State> states(members.devices.size() + 1);
  std::vector<Edge> messages;
  Time end;
  for (int64_t round = 0; round < rounds.count; ++round) {
    stop_here();
    messages.clear();
    rounds.messages(round, messages);
    for (const Edge& message : messages) {
      const Line& line = lines.of(message.from, message.to);
      const State& from = states[static_cast<size_t>(message.from)];
      State& to = states[static_cast<size_t>(message.to)];
      Time& sending = lines.port(line.leaves).sending;
      Time& receiving = lines.port(line.enters).receiving;
      const Time moving = message.bytes / line.bandwidth;
      const Time start = std::max(from.ready[message.reads], sending);
      sending = later(start, moving);
      receiving = later(std::max(start, receiving), moving);
      Time& arrived = to.arrived[message.writes];
      arrived = std::max(arrived, later(receiving, line.latency));
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
