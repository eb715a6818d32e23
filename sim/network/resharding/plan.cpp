// Resharding between meshes: every piece by one strategy, pieces one after another on each host.
//
// t s to bring a piece to another host, s s within one; A hosts want it, n devices in all, b on one
//   send_recv           n t                         to each device by itself
//   local_all_gather    A t + (b - 1) / b s         a b-th to each, gathered inside the hosts
//   global_all_gather   t + (n - 1) / n max(t, s)   an n-th to each, gathered among all (s if A =
//   1) broadcast           t + ((A - 1) t + (n - A) s) / K    a chain of devices, in K parts
//
// A piece takes its sender's NIC out and its takers' NICs in for that long, of a broadcast those by
// which the chain enters hosts; NICs send and receive at once. One that stays in its host takes its
// devices' links instead, and t is s. The latency of the route is paid once for each piece. Source:
// Zhuang et al., On optimizing the communication of model parallelism (Alpa), arXiv 2211.05322,
// whose hosts have one NIC, which all their devices share. Left out: traffic of others; pieces that
// are sent by several holders in parts.
#include "network/resharding/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "network/collectives/pieces.hpp"
#include "network/resharding/ways.hpp"

namespace pipewright::resharding {
namespace {

constexpr int orders_tried = 200;

/// A server, which sends or receives one piece at a time: a NIC, or a device where a piece stays in
/// its host.
using Server = VertexId;

/// A piece with times in place of bytes, for every holder that may send it.
struct Task {
  struct Sender {
    Server server;
    int device = 0;
    double seconds = 0;
    std::vector<Server> receivers;
  };
  double share = 0;
  std::vector<Sender> senders;  ///< one of each server
};

struct Takers {
  int devices = 0, hosts = 0, most_on_host = 0;
};

class Pricing {
 public:
  Pricing(const Topology& topology, const Meshes& meshes, Bytes bytes, Strategy strategy)
      : topology_(topology), meshes_(meshes), bytes_(bytes), strategy_(strategy) {}

  Task task(const Piece& piece) const {
    Task task{.share = piece.share};
    std::map<NodeId, int> on_host;
    for (const int taker : piece.takers) ++on_host[node_to(taker)];
    Takers takers{static_cast<int>(piece.takers.size()), static_cast<int>(on_host.size()), 0};
    for (const auto& [host, devices] : on_host)
      takers.most_on_host = std::max(takers.most_on_host, devices);
    std::set<Server> seen;
    for (const int holder : piece.holders) {
      const int device = meshes_.from[static_cast<size_t>(holder)];
      Task::Sender sender = sender_of(device, piece);
      if (!seen.insert(sender.server).second) continue;
      sender.seconds = seconds_of(device, piece, takers);
      task.senders.push_back(std::move(sender));
    }
    return task;
  }

 private:
  int taker_device(int taker) const { return meshes_.to[static_cast<size_t>(taker)]; }
  NodeId node_to(int taker) const { return topology_.node(taker_device(taker)); }

  /// A sender with its servers. Of takers in its own host only those of a piece that stays there
  /// have some.
  Task::Sender sender_of(int device, const Piece& piece) const {
    Task::Sender sender{.device = device};
    std::map<NodeId, bool> entered_on_rail;
    std::map<NodeId, Server> entry;
    for (const int taker : piece.takers) {
      const int to = taker_device(taker);
      if (topology_.node(to) == topology_.node(device)) continue;
      const Ways ways = ways_of(topology_, topology_.route(device, to));
      sender.server = ways.out;
      const bool on_rail = rail_of(topology_, to) == rail_of(topology_, device);
      if (strategy_ != Strategy::broadcast) {
        sender.receivers.push_back(ways.in);
      } else if (on_rail ? !entered_on_rail[node_to(taker)] : !entry.contains(node_to(taker))) {
        entry[node_to(taker)] = ways.in;
        entered_on_rail[node_to(taker)] = on_rail;
      }
    }
    for (const auto& [host, way] : entry) sender.receivers.push_back(way);
    if (!sender.receivers.empty()) return sender;
    sender.server = topology_.vertex(device);
    for (const int taker : piece.takers)
      sender.receivers.push_back(topology_.vertex(taker_device(taker)));
    return sender;
  }

  /// The first taker in another host than a sender's; the first of all where none is.
  int far_taker(int sender, const Piece& piece) const {
    const auto is_far = [&](int taker) { return node_to(taker) != topology_.node(sender); };
    const auto found = std::ranges::find_if(piece.takers, is_far);
    return taker_device(found == piece.takers.end() ? piece.takers.front() : *found);
  }

  double seconds_of(int sender, const Piece& piece, const Takers& takers) const {
    const double bytes = piece.share * static_cast<double>(bytes_.count);
    const Route route = topology_.route(sender, far_taker(sender, piece));
    const double across = bytes / route.bottleneck.bytes_per_s;
    const double inside = bytes / inside_bandwidth(piece);
    return in_seconds(route.latency) + moving(across, inside, takers, bytes);
  }

  double moving(double t, double s, const Takers& takers, double bytes) const {
    const double n = takers.devices, hosts = takers.hosts, b = takers.most_on_host;
    switch (strategy_) {
      case Strategy::send_recv:
        return n * t;
      case Strategy::local_all_gather:
        return hosts * t + (b - 1) / b * s;
      case Strategy::global_all_gather:
        return t + (n - 1) / n * (hosts > 1 ? std::max(t, s) : s);
      case Strategy::broadcast:
        break;
    }
    const auto parts = static_cast<double>(collective::pieces_of({static_cast<int64_t>(bytes)}));
    return t + ((hosts - 1) * t + (n - hosts) * s) / parts;
  }

  /// Returns the bandwidth between two takers on one host; no limit where each is alone on its
  /// host.
  double inside_bandwidth(const Piece& piece) const {
    std::map<NodeId, int> first_on;
    for (const int taker : piece.takers) {
      const int device = meshes_.to[static_cast<size_t>(taker)];
      const auto [found, is_new] = first_on.try_emplace(node_to(taker), device);
      if (!is_new) return topology_.route(found->second, device).bottleneck.bytes_per_s;
    }
    return std::numeric_limits<double>::infinity();
  }

  const Topology& topology_;
  const Meshes& meshes_;
  Bytes bytes_;
  Strategy strategy_;
};

/// The times at which every server is free to send and to receive, and the sender of each task.
struct Run {
  std::map<Server, double> sending, receiving;
  std::vector<int> senders;  ///< devices, by task
  double end = 0;

  explicit Run(const std::vector<Task>& tasks) : senders(tasks.size()) {}

  double start(const Task::Sender& sender) {
    double start = sending[sender.server];
    for (const Server& server : sender.receivers) start = std::max(start, receiving[server]);
    return start;
  }
  void add(size_t task, const Task::Sender& sender) {
    const double ends = start(sender) + sender.seconds;
    sending[sender.server] = ends;
    for (const Server& server : sender.receivers) receiving[server] = ends;
    senders[task] = sender.device;
    end = std::max(end, ends);
  }
};

/// Each by the sender that can start it soonest.
Run run_soonest(const std::vector<Task>& tasks, const std::vector<size_t>& order) {
  Run run(tasks);
  for (const size_t i : order) {
    const Task::Sender* best = &tasks[i].senders.front();
    for (const Task::Sender& sender : tasks[i].senders)
      if (run.start(sender) < run.start(*best)) best = &sender;
    run.add(i, *best);
  }
  return run;
}

Run run_by_size(const std::vector<Task>& tasks, const std::vector<size_t>& order) {
  Run run(tasks);
  std::map<Server, double> load;
  for (const size_t i : order) {
    const Task::Sender* best = &tasks[i].senders.front();
    for (const Task::Sender& sender : tasks[i].senders)
      if (load[sender.server] < load[best->server]) best = &sender;
    load[best->server] += tasks[i].share;
    run.add(i, *best);
  }
  return run;
}

Run run_first(const std::vector<Task>& tasks) {
  Run run(tasks);
  for (size_t i = 0; i < tasks.size(); ++i) run.add(i, tasks[i].senders.front());
  return run;
}

void keep_shorter(Run& best, Run other) {
  if (other.end < best.end) best = std::move(other);
}

/// Largest first, then orders that differ from the best so far in two places.
Run search(const std::vector<Task>& tasks, std::vector<size_t> order) {
  Run best = run_soonest(tasks, order);
  keep_shorter(best, run_by_size(tasks, order));
  uint64_t state = 0x9e3779b97f4a7c15;
  const auto random = [&](size_t n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;  // xorshift
    return state % n;
  };
  for (int tried = 0; tried < orders_tried && tasks.size() > 1; ++tried) {
    std::vector<size_t> other = order;
    std::swap(other[random(other.size())], other[random(other.size())]);
    Run run = run_soonest(tasks, other);
    if (run.end > best.end) continue;
    best = std::move(run);
    order = std::move(other);
  }
  keep_shorter(best, run_first(tasks));
  return best;
}

std::vector<size_t> largest_first(const std::vector<Task>& tasks) {
  std::vector<size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return tasks[a].share > tasks[b].share; });
  return order;
}

}  // namespace

std::string_view name(Strategy strategy) {
  constexpr std::string_view names[] = {"send-recv", "local-all-gather", "global-all-gather",
                                        "broadcast"};
  return names[static_cast<size_t>(strategy)];
}

std::string_view name(Balance balance) {
  constexpr std::string_view names[] = {"none", "size", "order"};
  return names[static_cast<size_t>(balance)];
}

Shipment ship(const Topology& topology, const Meshes& meshes, std::span<const Piece> pieces,
              Bytes bytes, Strategy strategy, Balance balance) {
  const Pricing pricing(topology, meshes, bytes, strategy);
  std::vector<Task> tasks;
  for (const Piece& piece : pieces) tasks.push_back(pricing.task(piece));
  const auto run = [&] {
    if (balance == Balance::none) return run_first(tasks);
    const std::vector<size_t> order = largest_first(tasks);
    return balance == Balance::size ? run_by_size(tasks, order) : search(tasks, order);
  };
  Run done = run();
  return {seconds(done.end), std::move(done.senders)};
}

Time time_of(const Topology& topology, const Meshes& meshes, std::span<const Piece> pieces,
             Bytes bytes, Strategy strategy, Balance balance) {
  return ship(topology, meshes, pieces, bytes, strategy, balance).time;
}

Comparison compare(const Topology& topology, const Change& change, Bytes bytes) {
  const int needed = change.from.devices() + change.to.devices();
  if (needed > topology.devices()) {
    throw InputError(fmt::format("the two meshes need {} devices, but the cluster has {}", needed,
                                 topology.devices()));
  }
  Meshes meshes;
  for (int device = 0; device < needed; ++device)
    (device < change.from.devices() ? meshes.from : meshes.to).push_back(device);
  const std::vector<Piece> pieces = pieces_of(change);
  Comparison all{bytes, lower_bound(topology, meshes, pieces, bytes), {}};
  for (const Strategy strategy : strategies)
    for (const Balance balance : balances)
      all.plans.push_back(
          {strategy, balance, time_of(topology, meshes, pieces, bytes, strategy, balance)});
  return all;
}

}  // namespace pipewright::resharding
