// Lowering: a schedule, what its stages do and where its ranks stand become a program.
#pragma once

#include <optional>
#include <vector>

#include "program/program.hpp"
#include "program/rank_order.hpp"
#include "workload/tensor_grid.hpp"

namespace pipewright {

/// The work that one device does for one stage and one micro-batch (or one token slice of it).
struct StageWork {
  Segments forward, backward, input_gradient, weight_gradient;
  /// Passes that complete the gradients of an iteration: segments of part k end before reduction k
  /// of the stage's UpdateWork starts. Empty: as the others.
  Segments last_backward, last_weight_gradient;
  std::optional<Work> pair;  ///< one forward of this stage overlapped with a backward of any
  Bytes activation;          ///< held from the start of F to the end of B or W
  Bytes transient;           ///< held only while B or I runs
  /// Bytes sent to the neighbour: by each device, or over a resharding edge by all of them
  /// together.
  Bytes forward_output, backward_output;
};

/// What follows the step of one stage on one device where sites exchange what they have trained.
struct OuterWork {
  Work difference;                     ///< makes the outer gradients, before the exchange
  CollectiveWork exchange;             ///< over sites; 0 B: nothing of the stage is exchanged
  Work step;                           ///< of the outer optimizer
  std::vector<CollectiveWork> gather;  ///< of the new weights, within a site
};

/// The work that ends an iteration for one stage, on one device. Empty for synthetic models.
struct UpdateWork {
  std::vector<CollectiveWork> reduce;  ///< of the gradients, in the order of the backward pass
  /// Reductions of routed experts, by the same parts, where fewer devices hold them; else empty.
  std::vector<CollectiveWork> reduce_experts;
  /// A reduction that is a sum over sides of a tensor grid, and the part of `reduce` that it
  /// belongs to.
  struct OverSides {
    size_t part = 0;
    CollectiveWork work;
  };
  std::vector<OverSides> reduce_over_sides;
  std::vector<Work> kernels;           ///< the optimizer step
  std::vector<CollectiveWork> gather;  ///< of the updated weights, where they are sharded
  /// A step on the host, for each part of the gradients: what the host is sent, how long it works,
  /// and what it sends back. `kernels` are then those that remain on the device.
  struct HostPart {
    Bytes gradients, weights;
    Time step;
  };
  std::vector<HostPart> on_host;
  std::optional<OuterWork> outer;  ///< what follows the step, where sites meet after it
};

/// The bytes that replicas exchange when weights are cut over them (ZeRO 3, FSDP), or when weights
/// are gathered ahead of passes; see lower_sharding.cpp.
struct ShardedWeights {
  /// Buffers of one stage, whole, on one device, by part of its passes in model order.
  struct Stage {
    std::vector<Bytes> weights, gradients;
    /// The same of routed experts, where fewer devices hold them: the others leave them out.
    std::vector<Bytes> experts, expert_gradients;
    /// What a device has of gradients once they are cut, where copies of the weights sum it.
    std::vector<Bytes> pieces;
  };
  std::vector<Stage> stages;  ///< by stage; empty: no weights are cut
  /// Weights stay whole between two steps (ZeRO 1 and 2).
  bool stepped = false;
  /// Gradients are cut (ZeRO 2 and 3), and so reduced after each backward of a part; else as
  /// UpdateWork says.
  bool scatter = true;
  bool reshard = true;        ///< gathered weights are given up after each forward
  bool keep = false;          ///< weights are gathered and gradients reduced once an optimizer step
  bool near_weights = false;  ///< backward passes gather from near replicas, which hold all
  bool near_gradients = false;  ///< gradients are exchanged among near replicas, then among copies
  int prefetch = 1;             ///< parts gathered ahead of the one that computes
};

/// The bytes that passes fetch from the host and leave there; see lower_offload.cpp.
struct OffloadedState {
  /// Bytes of one stage, by part of its passes in model order; empty: stays on the device.
  struct Stage {
    std::vector<Bytes> weights, activations;
  };
  std::vector<Stage> stages;  ///< by stage; empty: nothing is on the host
  int prefetch = 1;           ///< parts fetched ahead of the one that computes
};

/// The devices of a pipeline rank. A replica is one (context, data) coordinate: context + contexts
/// * data.
struct Mesh {
  int tensor = 1, context = 1, data = 1;
  int context_heads = 1;  ///< neighbours in a context group that exchange heads
  int expert = 1;         ///< devices that hold all experts once: consecutive in (tensor, replica)
  int expert_tensor = 1;  ///< of those, consecutive ones that cut the same experts
  int shard = 0;  ///< consecutive replicas that weights are cut over; 0: each holds them whole
  int near = 0;   ///< consecutive replicas of those that exchange among themselves; 0: none do
  int sites = 1;  ///< blocks of consecutive replicas that meet at outer steps only
  TensorGrid tensor_grid;        ///< how tensor ranks stand to each other
  std::vector<int32_t> devices;  ///< by replica * tensor + tensor rank

  int replicas() const { return context * data; }
  int site_replicas() const { return replicas() / sites; }
  int site(int replica) const { return replica / site_replicas(); }
  int32_t device(int tensor_rank, int replica) const {
    return devices[static_cast<size_t>(replica) * static_cast<size_t>(tensor) +
                   static_cast<size_t>(tensor_rank)];
  }
};

/// One mesh for each pipeline rank. Without a resharding edge between them, neighbours have as many
/// tensor ranks and replicas, and each sends to its like.
struct Grid {
  std::vector<Mesh> meshes;

  int pipeline() const { return static_cast<int>(meshes.size()); }
  const Mesh& mesh(int rank) const { return meshes[static_cast<size_t>(rank)]; }
  int32_t device(int rank, int tensor_rank, int replica) const {
    return mesh(rank).device(tensor_rank, replica);
  }
  /// All of them, by rank.
  std::vector<int32_t> devices() const;
};

/// A resharding edge: takes a stage's output from one mesh to another that has another layout, as
/// one message of all devices to all devices. `Prices::resharding` knows its length by these
/// numbers.
struct ReshardingEdge {
  uint32_t forward = none, backward = none;
};

/// A replica that stands for `count` that see the same times, itself included.
struct ReplicaClass {
  int replica = 0;
  int count = 1;
  std::vector<int> members;  ///< all of them; empty where nobody asks
};

/// The embedding's weights where other stages read them too. Their gradients are all-reduced
/// before the step.
struct TiedEmbedding {
  Bytes gradient;           ///< of one device; 0: no other stage reads them
  std::vector<int> stages;  ///< that hold a copy, ascending
};

struct LoweringInput {
  const schedule::Schedule& schedule;
  std::vector<StageWork> stages;    ///< by stage * slices + slice
  std::vector<UpdateWork> updates;  ///< by stage
  TiedEmbedding tied_embedding;
  SendMode send_mode = SendMode::async;
  Bytes send_buffer;         ///< of buffered sends, per pair of ranks
  bool overlap_data = true;  ///< reduce a stage's gradients as soon as they are complete
  ShardedWeights sharded;
  OffloadedState offloaded;
  /// No rank steps before the norm of all gradients is known: one all-reduce over all devices. Else
  /// each steps at once, as with the post-validation of arXiv 2401.10241, and never rolls back.
  bool validate_first = false;
  bool pairs_beside = false;  ///< the two passes of a pair run side by side, not one by one
  Grid grid;
  bool fold_tensor = false;  ///< simulate tensor rank 0 for all
  /// By pipeline rank, the replicas that are simulated, ascending, and how many each stands for;
  /// empty: all.
  std::vector<std::vector<ReplicaClass>> replicas;
  std::vector<ReshardingEdge> resharding_edges;  ///< by stage, to the next; empty: none
};

Program lower(const LoweringInput& input);

}  // namespace pipewright
