#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/clock_exceeded.hpp"
#include "base/stop.hpp"
#include "network/collectives/edge_route.hpp"
#include "network/collectives/wired_alike.hpp"

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

/// Routes between ranks; most send to one other for long. Between nodes they are known by the
/// places of the two in nodes that are wired alike, elsewhere by the two.
class Lines {
 public:
  Lines(const Topology& topology, const Members& members)
      : topology_(topology),
        members_(members),
        last_(members.devices.size() + 1),
        places_(places_wired_alike(topology, members)),
        ports_(members.devices.size()) {}

  const Line& of(int from, int to) {
    Line& last = last_[static_cast<size_t>(from)];
    if (last.to == to) return last;
    last = in_one_node(from, to) ? inside(from, to) : outside(from, to);
    last.to = to;
    return last;
  }

  Port& port(uint32_t number) { return ports_[number]; }
  void free_all() { std::ranges::fill(ports_, Port{}); }

 private:
  static uint64_t pair(int from, int to) {
    return uint64_t{static_cast<uint32_t>(from)} << 32 | static_cast<uint32_t>(to);
  }
  bool in_one_node(int from, int to) const {
    const int inside = members_.in_switch();
    const auto node = [&](int rank) {
      return topology_.node(members_.devices[static_cast<size_t>(rank)]);
    };
    return from == inside || to == inside || node(from) == node(to);
  }
  const Line& inside(int from, int to) {
    const auto [found, is_new] = inside_.try_emplace(pair(from, to));
    if (is_new) {
      const Route route = edge_route(topology_, members_, from, to);
      found->second = {to, route.latency, route.bottleneck, port_at(route.links.front()),
                       port_at(route.links.back())};
    }
    return found->second;
  }
  Line outside(int from, int to) {
    const auto [found, is_new] = outside_.try_emplace(
        pair(places_[static_cast<size_t>(from)], places_[static_cast<size_t>(to)]));
    if (is_new) {
      const Route route = edge_route(topology_, members_, from, to);
      found->second = {.latency = route.latency, .bandwidth = route.bottleneck};
    }
    Line line = found->second;
    line.leaves = static_cast<uint32_t>(from);
    line.enters = static_cast<uint32_t>(to);
    return line;
  }
  uint32_t port_at(LinkId link) {
    const auto [found, is_new] = numbers_.try_emplace(link, static_cast<uint32_t>(ports_.size()));
    if (is_new) ports_.emplace_back();
    return found->second;
  }

  const Topology& topology_;
  const Members& members_;
  std::vector<Line> last_;
  std::vector<int> places_;
  std::unordered_map<uint64_t, Line> inside_, outside_;
  std::unordered_map<LinkId, uint32_t> numbers_;  // of ports
  std::vector<Port> ports_;                       // out of nodes, by rank, then at links
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

/// Runs the rounds over lines that are free at first.
Time run(Lines& lines, const Rounds& rounds, size_t ranks) {
  check_count(rounds, ranks);
  lines.free_all();
  std::vector<State> states(ranks + 1);
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

}  // namespace

Time expanded_time(const Topology& topology, const Members& members, const Rounds& rounds) {
  Lines lines(topology, members);
  return run(lines, rounds, members.devices.size());
}

std::vector<Time> expanded_times(const Topology& topology, const Members& members,
                                 const Algorithm& algorithm, CollectiveKind kind,
                                 std::span<const Bytes> sizes) {
  Lines lines(topology, members);
  std::vector<Time> times;
  for (const Bytes bytes : sizes)
    times.push_back(run(lines, algorithm.rounds(kind, members, bytes), members.devices.size()));
  return times;
}

}  // namespace pipewright::collective
