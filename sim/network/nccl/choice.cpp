// NCCL's own model of itself, by which it takes the algorithm and protocol of least time.
//
//   time = latency + S / bandwidth
//   ring   latency = base + steps * hop, those between nodes with the network's hop
//          bandwidth = ring's * n / steps; LL at most half of it and a maximum, LL128 0.92 and a
//          maximum a channel
//   tree   (all_reduce) latency = base + 2 ((g - 1) hop + log2(m) network hop); bandwidth = 0.92 of
//          the ring's / 2, at most a maximum a channel, LL a 3.8th, LL128 15 / 16 (in one node 7 /
//          9), less at middle sizes
//   nvls   (all_reduce, one node, more than 2 members, elements above one byte)
//          latency = 25 us; bandwidth = n v e (n - 1) / n * 2 * n / steps; with more members than
//          there is room for channels of the least v, one head fewer than those
//   nvls tree  (all_reduce, several nodes, more than 2 members on each)
//          latency = 25 us + 2 log2(m) network hop; bandwidth = min(2 g v e (g - 1) / g, the NICs',
//          over two nodes twice, a maximum a channel) * n / steps
//   channels: fewer as long as each of their threads had less than so many bytes
//
//   S bytes, n ranks, m nodes, g = n / m; v a speed that n members can have, e an efficiency
//
// LL128 wants a NIC behind the GPU's PCIe switch.
// Over fabrics that deliver bytes out of order only Simple is safe (aws-ofi-nccl,
// platform-aws.cpp).
//
// Where switches between nodes reduce there are more, see in_network.cpp.
//
// Left out: PAT, NVLS for all_gather, environment variables and tuner
// plugins. Source: NVIDIA/nccl 2.28, src/graph/tuning.cc, src/graph/search.cc, src/enqueue.cc.
#include "network/nccl/choice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "network/nccl/in_network.hpp"
#include "network/nccl/operations.hpp"

namespace pipewright {
namespace {

constexpr double wire_s = 2.7e-6;  // of a LL hop, which has no other cost

size_t scale(const NcclRequest& r) { return static_cast<size_t>(std::min(r.nodes, 3) - 1); }
size_t index(NcclProtocol protocol) { return static_cast<size_t>(protocol); }

/// Bytes/s of a ring in a node of several; unbounded where it is not known.
double in_node_bandwidth(const NcclRequest& r) {
  return r.node_bandwidth > 0 ? r.node_bandwidth : std::numeric_limits<double>::infinity();
}

const NcclHops& inside_hops(const NcclTuning& tuning, const NcclRequest& r) {
  return r.nvlink ? tuning.nvlink : tuning.pcie;
}

Line ring_line(const NcclTuning& tuning, const NcclRequest& r, NcclProtocol protocol) {
  const size_t p = index(protocol);
  double bandwidth = ring_bandwidth(tuning, r);
  if (protocol == NcclProtocol::ll) bandwidth = std::min(bandwidth / 2, tuning.most.ll[scale(r)]);
  if (protocol == NcclProtocol::ll128)
    bandwidth = std::min(bandwidth * 0.92, tuning.channels * tuning.most.ll128_channel[scale(r)]);
  const RingSteps steps = ring_steps(r);
  const double between = network_hop_s(tuning, tuning.network.ring[p], protocol, r, Hop::told, 0);
  const double latency = tuning.ring_base_s[p] +
                         (steps.all - steps.between) * inside_hops(tuning, r).ring[p] +
                         steps.between * between;
  return {latency, steps.all / (bandwidth * r.ranks)};
}

/// Bytes/s of the buffer with which NCCL expects the switch to reduce; 0 where it cannot.
double nvls_bandwidth(const NcclTuning& tuning, const NcclRequest& r) {
  const bool able = tuning.nvls.efficiency > 0 && r.on_switch && r.nodes == 1 && r.ranks > 2;
  if (!able || !operation_of(r.kind).in_switch || r.element_bytes < 2) return 0;
  return switch_bandwidth(tuning, r.ranks, ring_bandwidth(tuning, r)) * r.ranks / ring_steps(r).all;
}

/// The same where switches reduce in nodes and a tree between them.
double nvls_tree_bandwidth(const NcclTuning& tuning, const NcclRequest& r) {
  const int members = r.ranks / r.nodes;
  const double most = tuning.nvls.tree_channel_most[scale(r)] * members;
  const bool able = tuning.nvls.efficiency > 0 && r.on_switch && r.nodes > 1 && members > 2;
  if (!able || !operation_of(r.kind).in_switch || r.element_bytes < 2) return 0;
  const double inside = switch_bandwidth(tuning, members, links_in_node(tuning, r));
  const double between = r.ring_bandwidth * (r.nodes == 2 ? 2 : 1);
  return std::min({inside, between, most}) * r.ranks / ring_steps(r).all;
}

/// Each channel of a tree has its part of the buffer.
double message_of_tree(const NcclTuning& tuning, const NcclRequest& r) {
  return static_cast<double>(r.bytes.count) / tuning.channels;
}

}  // namespace

std::string_view name(NcclAlgorithm algorithm) {
  constexpr std::string_view names[] = {"ring",      "tree",           "nvls",
                                        "nvls_tree", "collnet_direct", "collnet_chain"};
  return names[static_cast<size_t>(algorithm)];
}

double ring_bandwidth(const NcclTuning& tuning, const NcclRequest& r) {
  return std::min(tuning.ring_bandwidth, r.ring_bandwidth);
}

double links_in_node(const NcclTuning& tuning, const NcclRequest& r) {
  return std::min(tuning.ring_bandwidth, in_node_bandwidth(r));
}

double switch_bandwidth(const NcclTuning& tuning, double members, double links) {
  const auto heads_at = [&](double heads, double speed) {
    return heads * speed * tuning.nvls.efficiency * (members - 1) / members * 2;
  };
  for (const double speed : tuning.nvls.speeds)
    if (speed * members <= links) return heads_at(members, speed);
  // A channel takes its speed of every link, and twice of its head's.
  const double slowest = tuning.nvls.speeds.back();
  const double heads = std::floor(links / slowest) - 1;
  return heads >= 1 ? heads_at(heads, slowest) : 0;
}

double out_of_member(const NcclRequest& r) {
  return r.member_bandwidth > 0 ? r.member_bandwidth : r.ring_bandwidth * r.nodes / r.ranks;
}

double network_hop_s(const NcclTuning& tuning, double constant_s, NcclProtocol protocol,
                     const NcclRequest& r, Hop hop, double message) {
  const NcclFabric& fabric = fabric_of(tuning, r.fabric);
  const double taken_s =
      r.release < fabric.older_before
          ? fabric.older_hop_s
          : fabric.hop_s + (message > fabric.eager_bytes ? fabric.rendezvous_s : 0);
  const double more_s = hop == Hop::told ? fabric.told_s : taken_s;
  if (fabric.plug_in) return constant_s + (protocol == NcclProtocol::simple ? 2 : 1) * more_s;
  return std::max(constant_s - wire_s, 0.0) + r.network_hop_s;
}

RingSteps ring_steps(const NcclRequest& r) {
  const NcclOperation& operation = operation_of(r.kind);
  const int all = operation.rounds * (r.ranks - 1) + (operation.chain ? 1 : 0);
  return {all, operation.rounds * (r.nodes - 1)};
}

double nvls_tree_hops_s(const NcclTuning& tuning, const NcclRequest& r, Hop hop) {
  return 2 * std::floor(std::log2(r.nodes)) *
         network_hop_s(tuning, tuning.network.nvls_tree_s, NcclProtocol::simple, r, hop,
                       message_of_tree(tuning, r));
}

Line tree_line(const NcclTuning& tuning, const NcclRequest& r, NcclProtocol protocol, Hop hop) {
  const size_t p = index(protocol);
  // Over two nodes every byte leaves a node once, over more nodes twice: up and down again.
  const double out = r.ring_bandwidth * (r.nodes == 2 ? 2 : 1);
  const double links = std::min(out, links_in_node(tuning, r));
  double bandwidth = std::min(links * 0.92, tuning.channels * tuning.most.tree_channel[scale(r)]);
  if (protocol == NcclProtocol::ll) bandwidth = std::min(bandwidth / 3.8, tuning.most.ll[scale(r)]);
  if (protocol == NcclProtocol::ll128)
    bandwidth = std::min(bandwidth * (r.nodes == 1 ? 7.0 / 9 : 15.0 / 16),
                         tuning.channels * tuning.most.tree_ll128_channel[scale(r)]);
  const uint64_t lines = static_cast<uint64_t>(r.bytes.count) >> 6;
  const size_t power = lines == 0 ? 0 : static_cast<size_t>(std::bit_width(lines)) - 1;
  const std::vector<double>& correction = tuning.tree_correction[p];
  bandwidth *= correction[std::min(power, correction.size() - 1)];
  const double inside =
      (static_cast<double>(r.ranks) / r.nodes - 1) * inside_hops(tuning, r).tree[p];
  const double between =
      std::floor(std::log2(r.nodes)) *
      network_hop_s(tuning, tuning.network.tree[p], protocol, r, hop, message_of_tree(tuning, r));
  return {tuning.tree_base_s[p] + 2 * (inside + between), 2 / bandwidth};
}

double filled_channels(const NcclTuning& tuning, const NcclRequest& r, const NcclChoice& choice) {
  const size_t p = index(choice.protocol);
  double bytes = tuning.threads[p] * tuning.thread_bytes[p];
  if (choice.algorithm == NcclAlgorithm::ring && choice.protocol == NcclProtocol::ll)
    bytes *= r.ranks;
  return std::clamp(static_cast<double>(r.bytes.count) / bytes, 1.0, double(tuning.channels));
}

NcclChoice choose(const NcclTuning& tuning, const NcclRequest& r) {
  const bool has_tree = operation_of(r.kind).tree;
  NcclChoice best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](NcclAlgorithm algorithm, NcclProtocol protocol, Line line) {
    const double time = line.fixed_s + line.per_byte_s * static_cast<double>(r.bytes.count);
    if (!(time < least)) return;
    least = time;
    best = {algorithm, protocol, 1};
  };
  const PerProtocol& share = fabric_of(tuning, r.fabric).share;
  for (const auto protocol : {NcclProtocol::ll, NcclProtocol::ll128, NcclProtocol::simple}) {
    if (r.nodes > 1 && share[index(protocol)] == 0) continue;
    if (has_tree)
      consider(NcclAlgorithm::tree, protocol, tree_line(tuning, r, protocol, Hop::told));
    if (protocol == NcclProtocol::ll128 && !r.nvlink) continue;
    consider(NcclAlgorithm::ring, protocol, ring_line(tuning, r, protocol));
  }
  if (const double rate = nvls_bandwidth(tuning, r); rate > 0)
    consider(NcclAlgorithm::nvls, NcclProtocol::simple, {tuning.nvlink.nvls_s, 1 / rate});
  if (const double rate = nvls_tree_bandwidth(tuning, r); rate > 0)
    consider(NcclAlgorithm::nvls_tree, NcclProtocol::simple,
             {tuning.nvlink.nvls_tree_s + nvls_tree_hops_s(tuning, r, Hop::told), 1 / rate});
  for (const NcclAlgorithm algorithm : in_network_algorithms(tuning, r))
    consider(algorithm, NcclProtocol::simple, in_network_line(tuning, r, algorithm, Hop::told));
  best.channels = static_cast<int>(filled_channels(tuning, r, best));
  return best;
}

}  // namespace pipewright
