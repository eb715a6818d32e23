// The types that the table of options reads values into, where a plain number or choice does not
// do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.hpp"
#include "config/value.hpp"
#include "experiment/anchor.hpp"
#include "experiment/document_lengths.hpp"
#include "experiment/flow_options.hpp"
#include "experiment/stragglers.hpp"
#include "experiment/training_state.hpp"
#include "network/packet/packet_network.hpp"
#include "network/resharding/plan.hpp"
#include "program/rank_order.hpp"
#include "workload/tensor_grid.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

struct Experiment;

/// The options by which context parallelism exchanges keys and values.
struct ContextOptions {
  ContextExchange exchange = ContextExchange::ring;
  bool zigzag = true;
  int heads = 1;  ///< neighbours that exchange heads within rings
};

/// How a stage hands its output to the next.
struct SendOptions {
  SendMode mode = SendMode::async;
  Bytes buffer;  ///< of buffered sends
};

/// The method by which tensor-parallel collectives hide behind compute.
enum class TensorOverlap : uint8_t { none, chunked, domino };

struct TensorOverlapOptions {
  TensorOverlap kind = TensorOverlap::none;
  int pieces = 0;         ///< chunks of a collective or slices of a micro-batch; 0: as usual
  int columns = 1;        ///< pieces of the weights that a collective follows, by Domino
  bool by_layer = false;  ///< Domino's slices meet at the end of each layer
};

/// The state that hosts keep for their devices. Weights there are updated there: with them goes the
/// optimizer.
struct Offload {
  bool optimizer = false, activations = false, weights = false;
  OffloadedInputs inputs{};  ///< activations of some parts of blocks only
  bool any() const { return optimizer || activations || inputs.any(); }
  /// Passes of a stage fetch something, layer by layer.
  bool from_passes() const { return activations || weights || inputs.any(); }
};

/// Low-rank adapters, which alone are trained.
struct Adapters {
  int64_t rank = 0;  ///< 0: all weights are trained
  ExpertAdapters experts = ExpertAdapters::none;
  std::optional<bool> wide;  ///< they compute in fp32
};

enum class AttentionChoice : uint8_t { flash, flash1, flash2, flash3, cudnn, unfused };
enum class KernelFusion : uint8_t { fused, eager };
enum class Launches : uint8_t { ahead, blocking, graph, passes, modules };

/// How hosts start kernels.
struct LaunchOptions {
  Launches kind = Launches::ahead;
  BlockGraphs graphs;  ///< of `modules`
};
enum class CollectiveChecks : uint8_t { none, detail };
enum class ExpertOverlap : uint8_t { none, pairs };
enum class NetworkKind : uint8_t { alpha_beta, flow, packet };

struct NetworkOptions {
  NetworkKind kind = NetworkKind::flow;
  PacketOptions packet;  ///< of `packet`
  FlowOptions flow;      ///< of `flow`; routes and seeds of `packet` too

  /// Tells whether runs differ by their seed.
  bool draws() const {
    const bool draws_packets = kind == NetworkKind::packet && (packet.spray || packet.small > 0);
    return draws_packets || flow.spreading.draws();
  }
};

/// Whose kernels send tokens to experts.
enum class DispatchKernels : uint8_t { automatic, nccl, deepep, deepep_low_latency, hybridep };

/// How tokens reach experts on other devices.
struct DispatchOptions {
  enum class Send : uint8_t { once_a_node, each_copy, all_gather };
  Send send = Send::once_a_node;
  DispatchKernels kernels = DispatchKernels::automatic;
  bool fp8 = false;  ///< the form of what goes there; else the activations'
};

/// What neighbouring stages send each other.
struct BoundaryOptions {
  bool scatter = false;   ///< each tensor rank sends a part
  bool compress = false;  ///< as 8-bit integers
  bool is_map = false;    ///< the map form was written
};

/// Which device each rank stands on.
struct Placement {
  enum Dimension : uint8_t { tensor, context, data, pipeline };
  std::vector<Dimension> order;  ///< the fastest first; empty where devices are listed
  std::vector<int32_t> devices;  ///< by rank in the default order
  std::vector<Where> places;     ///< of the listed devices
};

/// Which layers make which stage.
struct PartitionOptions {
  enum class Kind : uint8_t { even, balanced, counts };
  Kind kind = Kind::even;
  std::vector<int64_t> counts;  ///< of blocks, by stage
  /// Modules that predict further tokens, by stage; empty: the last stage has all.
  std::vector<int64_t> predictions;
  int64_t pieces = 1;  ///< that a balanced cut may make of a layer
};

}  // namespace pipewright
