// The time of a collective from what NCCL chose and what the device was measured to do.
//
//   ring    base + s h + (s + e) c / b            c = S / (n k), what a channel moves in a step;
//   the
//           links, where they are slower, hold up the s steps but not the copies at the ends
//           LL: c / b becomes min(c, w) / b1 + (ceil(c / w) - 1) w / b: passes of w = 4 KiB, which
//           is what the threads of a channel move at once; b1 within the first
//   chain   (broadcast, reduce)  base + (n - 1) h + S / (k b)
//   nvls    base + min(S / early, late + S / bandwidth)
//   pairs   base + log2(n) d + min(p, P) / b1 + min(q / early, late + q / bandwidth)
//           p = S / n to each peer, P = 64 KiB, q = (n - 1 + own) max(0, p - P); no less than the
//           proxy thread takes to post a message for each peer on another node
//   message the same with p = S, n = 2 and q = max(0, p - P)
//   tree    (between nodes) NCCL's own line, see choice.cpp: nobody's measurement; no less than the
//           NICs allow, over which a byte goes once between two nodes and up and down between more
//   nvls tree  base + 2 log2(m) h + max(nvls's bytes, the NICs' as of a tree)
//   in switches between nodes    NCCL's own line, see in_network.cpp, and every byte once over the
//           NICs, each way at once; beside NVLink in the node
//
//   S bytes, n ranks, k channels, s steps, h hop (between nodes the network's), e ends: copies
//   inside the device in the first and last step; reducing elements of one byte takes longer
//
// A buffer takes no longer than a larger one. NCCL's choice does not see to that: it takes LL where
// it expects all channels to move bytes, and then gives it one, with which 512 H100 would wait
// longer for 3.5 MiB than for 28 by LL128. Nor do whole channels, of which one more makes a buffer
// faster than a smaller one: time counts them as they fill. Times that were measured stand at
// powers of two, where that changes little.
//
// Nothing is faster than the links. Where a node's ring has another bandwidth than that of the
// measurement, rates within nodes scale with it, up to the measured ones. Between nodes a share of
// the NICs is reached that depends on the fabric and the protocol (topologies/nccl/common.yaml). A
// collective waits for the slowest of its m nodes: bytes between two nodes take e^(s z) times as
// long as usual, z standard normal, and those of m nodes as long as the slowest of m draws is
// expected to (network/slowest.hpp), and longer where other jobs are expected on the network
// (network/other_jobs.hpp). Source: NCCL 2.28, src/device/*.h for what a channel does; the
// parameters are fitted (calibrate/fit). Wrong for user buffer registration, symmetric memory and
// several collectives at once.
#include "network/nccl/time.hpp"

#include <algorithm>
#include <cmath>

#include "base/required.hpp"
#include "network/nccl/in_network.hpp"
#include "network/nccl/operations.hpp"
#include "network/nccl/turning_points.hpp"
#include "network/other_jobs.hpp"
#include "network/slowest.hpp"

namespace pipewright {
namespace {

constexpr double pass_bytes = 4096, message_part = 65536;

/// Returns what the links within a node allow, relative to those of the measurement; 1 at most.
double link_share(const CollectiveProfile& profile, const NcclRequest& r) {
  const double inside = r.nodes == 1 ? r.ring_bandwidth : r.node_bandwidth;
  return inside > 0 ? std::min(1.0, inside / profile.link_bandwidth) : 1;
}

/// Seconds in which a channel moves `bytes` in one step.
double channel_s(const RingTimes& ring, NcclProtocol protocol, double bytes) {
  if (protocol != NcclProtocol::ll) return bytes / ring.channel_bandwidth;
  const double first = ring.first_bandwidth > 0 ? ring.first_bandwidth : ring.channel_bandwidth;
  const double passes = std::max(1.0, std::ceil(bytes / pass_bytes));
  return std::min(bytes, pass_bytes) / first + (passes - 1) * pass_bytes / ring.channel_bandwidth;
}

/// Seconds for each byte that goes out of a node over NICs of `bandwidth` bytes/s.
double network_per_byte(const CollectiveProfile& profile, const NcclRequest& r,
                        NcclProtocol protocol, double bandwidth) {
  const NcclFabric& fabric = fabric_of(profile.tuning, r.fabric);
  const double load = r.beside_other_jobs ? expected_load(r.fabric, r.nodes) : 1;
  return load * slowest_of(r.nodes, fabric.spread) /
         (fabric.share[static_cast<size_t>(protocol)] * bandwidth);
}

/// Seconds for each byte that every member passes on, if the links are all that holds it up.
double link_per_byte(const CollectiveProfile& profile, const NcclRequest& r,
                     NcclProtocol protocol) {
  if (r.nodes == 1) return 1 / r.ring_bandwidth;
  return network_per_byte(profile, r, protocol, r.ring_bandwidth);
}

/// Seconds in which a tree moves the buffer over the NICs.
double tree_links_s(const CollectiveProfile& profile, const NcclRequest& r, NcclProtocol protocol) {
  const double trips = r.nodes == 2 ? 1 : 2;
  return trips * static_cast<double>(r.bytes.count) * link_per_byte(profile, r, protocol);
}

/// Hops between nodes of what goes furthest. A part goes round all of the ring but the hop to where
/// it began. That is between nodes for one member of each node alone. NCCL itself counts a hop
/// less.
int hops_between(const NcclRequest& r, const NcclOperation& operation) {
  if (operation.chain || r.ranks == r.nodes || r.nodes == 1) return ring_steps(r).between;
  return operation.rounds * r.nodes;
}

NcclTime ring_time(const CollectiveProfile& profile, const NcclRequest& r, NcclChoice choice) {
  const size_t p = static_cast<size_t>(choice.protocol);
  const RingTimes& ring = profile.ring[p];
  const NcclOperation& operation = operation_of(r.kind);
  const RingSteps steps = ring_steps(r);
  const double bytes = static_cast<double>(r.bytes.count), parts = operation.chain ? 1 : r.ranks;
  const double moves = operation.chain ? 1 : steps.all;
  const double ends = operation.chain ? 0 : ring.ends.*operation.ends;
  const double slower = 1 + (r.element_bytes == 1 ? ring.one_byte * operation.reducing : 0);
  const double of_channel = bytes / (parts * filled_channels(profile.tuning, r, choice));
  const double each = channel_s(ring, choice.protocol, of_channel);
  const double inside = each / link_share(profile, r);
  const double links = bytes / parts * link_per_byte(profile, r, choice.protocol);
  const int between = hops_between(r, operation);
  const double hops = (steps.all - between - (operation.chain ? 1 : 0)) * ring.hop_s +
                      between * network_hop_s(profile.tuning, profile.tuning.network.ring[p],
                                              choice.protocol, r, Hop::taken, of_channel);
  const double moving = moves * std::max(slower * inside, links) + ends * slower * inside;
  return {choice, ring.base_s + hops, moving};
}

NcclTime tree_time(const CollectiveProfile& profile, const NcclRequest& r, NcclChoice choice) {
  const Line line = tree_line(profile.tuning, r, choice.protocol, Hop::taken);
  const double moving = line.per_byte_s * static_cast<double>(r.bytes.count);
  return {choice, line.fixed_s, std::max(moving, tree_links_s(profile, r, choice.protocol))};
}

NcclTime switch_time(const CollectiveProfile& profile, const NcclRequest& r, NcclChoice choice) {
  const SwitchTimes& times = required(profile.in_switch, "a switch that was measured");
  const double bytes = static_cast<double>(r.bytes.count) / link_share(profile, r);
  return {choice, times.base_s,
          std::min(bytes / times.early_bandwidth, times.late_s + bytes / times.bandwidth)};
}

NcclTime switch_tree_time(const CollectiveProfile& profile, const NcclRequest& r,
                          NcclChoice choice) {
  NcclTime time = switch_time(profile, r, choice);
  time.fixed_s += nvls_tree_hops_s(profile.tuning, r, Hop::taken);
  time.moving_s = std::max(time.moving_s, tree_links_s(profile, r, choice.protocol));
  return time;
}

/// Every byte leaves the node once, added up, and comes back once.
NcclTime in_network_time(const CollectiveProfile& profile, const NcclRequest& r,
                         NcclChoice choice) {
  const double out_s =
      static_cast<double>(r.bytes.count) * link_per_byte(profile, r, choice.protocol);
  if (choice.algorithm == NcclAlgorithm::nvls) {
    NcclTime time = switch_time(profile, r, choice);
    time.fixed_s += nvls_sharp_hop_s(profile.tuning, r, Hop::taken);
    time.moving_s = std::max(time.moving_s, out_s);
    return time;
  }
  const Line line = in_network_line(profile.tuning, r, choice.algorithm, Hop::taken);
  const double inside_s =
      in_node_s_per_byte(profile.tuning, r, choice.algorithm) * static_cast<double>(r.bytes.count);
  return {choice, line.fixed_s, std::max(inside_s, out_s)};
}

/// `part` bytes to each of `peers` others, in which the device copies as long as for `copies` of
/// them.
NcclTime pairs_time(const CollectiveProfile& profile, const NcclRequest& r, double part,
                    double peers, double copies) {
  const PairTimes& pairs = profile.pairs;
  const double more = copies * std::max(0.0, part - message_part);
  const double inside =
      std::min(part, message_part) / pairs.first_bandwidth +
      std::min(more / pairs.early_bandwidth, pairs.late_s + more / pairs.bandwidth);
  double fixed = pairs.base_s + std::log2(r.ranks) * pairs.doubling_s;
  double links = peers * part / r.ring_bandwidth, posting = 0;
  if (r.nodes > 1) {
    const NcclTuning& tuning = profile.tuning;
    const bool has_ll = fabric_of(tuning, r.fabric).share[0] > 0;
    const auto protocol = has_ll ? NcclProtocol::ll : NcclProtocol::simple;
    fixed += network_hop_s(tuning, tuning.network.ring[static_cast<size_t>(protocol)], protocol, r,
                           Hop::taken, part);
    // Of all peers those on other nodes, over this member's part of the node's NICs.
    const double all = peers * (1 - 1.0 / r.nodes) * r.ranks / std::max(1.0, r.ranks - 1.0);
    const double far = std::min(all, peers);
    links = part * far * network_per_byte(profile, r, NcclProtocol::simple, out_of_member(r));
    posting = far * tuning.post_s;
  }
  return {{}, fixed, std::max({inside, links, posting})};
}

/// The time of what NCCL chooses.
NcclTime chosen_time(const CollectiveProfile& profile, const NcclRequest& r) {
  NcclTuning tuning = profile.tuning;
  NcclChoice choice = choose(tuning, r);
  const auto in_switch = [&] {
    return choice.algorithm == NcclAlgorithm::nvls || choice.algorithm == NcclAlgorithm::nvls_tree;
  };
  if (in_switch() && !profile.in_switch) {
    tuning.nvls.efficiency = 0;
    choice = choose(tuning, r);
  }
  if (r.nodes > 1 && is_in_network(choice.algorithm)) return in_network_time(profile, r, choice);
  if (choice.algorithm == NcclAlgorithm::nvls) return switch_time(profile, r, choice);
  if (choice.algorithm == NcclAlgorithm::nvls_tree) return switch_tree_time(profile, r, choice);
  if (choice.algorithm == NcclAlgorithm::tree && r.nodes > 1) return tree_time(profile, r, choice);
  return ring_time(profile, r, choice);
}

}  // namespace

NcclTime nccl_time(const CollectiveProfile& profile, const NcclRequest& r) {
  if (operation_of(r.kind).pairs) {
    const double peers = r.ranks - 1;
    return pairs_time(profile, r, static_cast<double>(r.bytes.count) / r.ranks, peers,
                      (peers + profile.pairs.own) / link_share(profile, r));
  }
  NcclTime time = chosen_time(profile, r);
  const NcclChoice choice = time.choice;
  for (const Bytes larger : turning_points(profile.tuning, r, time.total_s())) {
    NcclRequest more = r;
    more.bytes = larger;
    const NcclTime other = chosen_time(profile, more);
    if (other.total_s() < time.total_s()) time = other;
  }
  time.choice = choice;
  return time;
}

NcclTime nccl_message_time(const CollectiveProfile& profile, const NcclRequest& r) {
  // Nobody copies a part of its own, and the device's rate is not that of a ring's links.
  return pairs_time(profile, r, static_cast<double>(r.bytes.count), 1, 1);
}

}  // namespace pipewright
