// Chooses algorithm, protocol and channels of a collective as NCCL does.
#pragma once

#include "network/nccl/tuning.hpp"
#include "topology/cluster/nccl_release.hpp"
#include "topology/link.hpp"
#include "workload/layer.hpp"

namespace pipewright {

enum class NcclAlgorithm : uint8_t { ring, tree, nvls, nvls_tree, collnet_direct, collnet_chain };
std::string_view name(NcclAlgorithm algorithm);

/// The request on which the choice depends.
struct NcclRequest {
  CollectiveKind kind = CollectiveKind::all_reduce;
  int ranks = 2, nodes = 1;
  bool on_switch = false;     ///< the members of a node are on one switch
  bool nvlink = true;         ///< inside nodes; else PCIe
  double ring_bandwidth = 0;  ///< bytes/s of the group's ring on this topology
  /// Bytes/s of a ring of the members of one node, where there are several nodes; 0: as measured.
  double node_bandwidth = 0;
  /// Bytes/s that a member sends to other nodes while all do; 0: its part of the ring's.
  double member_bandwidth = 0;
  double network_hop_s = 0;           ///< latency between two nodes by the topology
  LinkKind fabric = LinkKind::other;  ///< between nodes
  bool beside_other_jobs = false;     ///< on a network that they share
  int release = todays_nccl;          ///< of NCCL
  Bytes bytes;                        ///< as nccl-tests counts
  int element_bytes = 2;
  bool operator==(const NcclRequest&) const = default;
};

struct NcclChoice {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::ll;
  int channels = 1;
};

/// Chooses algorithm, protocol and channels; for a collective over pairs (all_to_all) only the
/// channels mean something.
NcclChoice choose(const NcclTuning& tuning, const NcclRequest& request);

/// Returns how many channels the bytes fill, at least one. NCCL takes the whole ones.
double filled_channels(const NcclTuning& tuning, const NcclRequest& request,
                       const NcclChoice& choice);

/// Steps around the ring, and how many of them are between nodes.
struct RingSteps {
  int all = 0, between = 0;
};
RingSteps ring_steps(const NcclRequest& request);

/// Bytes/s that a member sends to other nodes while all members do.
double out_of_member(const NcclRequest& request);

/// Whose word is taken for what a hop over a fabric with a plug-in takes.
enum class Hop : uint8_t { told, taken };

/// Latency of a step between nodes that sends `message` bytes: NCCL's constant with the wire that
/// it stands for, 2.7 us, replaced by the topology's. Over a fabric with a plug-in the fabric's own
/// is added instead; Simple, which flushes what it received, pays that twice.
double network_hop_s(const NcclTuning& tuning, double constant_s, NcclProtocol protocol,
                     const NcclRequest& request, Hop hop, double message);

/// NCCL's belief about a tree: seconds once and for each byte. For lack of measurements the model
/// of time believes the same.
struct Line {
  double fixed_s = 0, per_byte_s = 0;
};
Line tree_line(const NcclTuning& tuning, const NcclRequest& request, NcclProtocol protocol,
               Hop hop);

/// Bytes/s of a ring, all channels together, as NCCL's search would have it.
double ring_bandwidth(const NcclTuning& tuning, const NcclRequest& request);

/// Bytes/s that NCCL's search finds on the links of a node.
double links_in_node(const NcclTuning& tuning, const NcclRequest& request);

/// Bytes/s with which NCCL expects the switch of a node to reduce and spread what `members` have
/// over links that let `links` bytes/s through; 0 where it cannot. Each member is to be the head of
/// a channel. Where there are more than the links have room for, even of the slowest channels, one
/// head fewer than those is.
double switch_bandwidth(const NcclTuning& tuning, double members, double links);

/// Seconds of the hops of a tree of switches that reduce, up and down again.
double nvls_tree_hops_s(const NcclTuning& tuning, const NcclRequest& request, Hop hop);

}  // namespace pipewright
