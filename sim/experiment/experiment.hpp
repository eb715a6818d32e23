// An experiment as the user wrote it, read and checked: everything that decides a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/value.hpp"
#include "experiment/document_lengths.hpp"
#include "experiment/failures.hpp"
#include "experiment/stage_meshes.hpp"
#include "experiment/stragglers.hpp"
#include "experiment/synthetic.hpp"
#include "experiment/training_state.hpp"
#include "experiment/variation.hpp"
#include "network/packet/packet_network.hpp"
#include "program/rank_order.hpp"
#include "workload/tensor_grid.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}

/// How context parallelism exchanges keys and values.
struct ContextOptions {
  ContextExchange exchange = ContextExchange::ring;
  bool zigzag = true;
};

struct Parallel {
  int tensor = 1, pipeline = 1, data = 0, virtual_stages = 1, context = 1, expert = 1, zero = 0;
  int shard = 0;                ///< replicas that ZeRO 3 cuts weights over; 0: all
  std::optional<bool> reshard;  ///< after forward; default: without a pipeline
  int prefetch = 1;             ///< layers that ZeRO 3 gathers ahead
  ContextOptions context_options;
  int spatial = 1;               ///< strips of an image, whose devices `context` then counts
  std::optional<bool> sequence;  ///< Megatron's sequence parallelism; default: the model's
  bool gives_virtual = false;    ///< parallel.virtual stands in the file
  TensorGrid tensor_grid;
  GridSignatures signatures;  ///< `sbp`
};

struct Batch {
  int64_t global = 0;  ///< sequences of an iteration; 0: 8 * pipeline * data * micro
  int micro = 1;       ///< sequences of a micro-batch
  int sequence = 0;    ///< tokens of a sequence; 0: the model's
  std::optional<DocumentLengths> lengths;  ///< empty: every document fills its sequence
};

/// How tensor-parallel collectives hide behind compute.
enum class TensorOverlap { none, chunked, domino };

struct Overlap {
  SendMode p2p = SendMode::async;
  Bytes buffer;  ///< of buffered sends
  bool data = true;
  bool optimizer = true;        ///< ranks step without waiting for the norm of all gradients
  std::optional<Bytes> bucket;  ///< of gradients; empty: the framework's
  TensorOverlap tensor = TensorOverlap::none;
  int tensor_pieces = 0;         ///< chunks of a collective or slices of a micro-batch; 0: as usual
  int tensor_columns = 1;        ///< pieces of the weights that a collective follows, by Domino
  bool tensor_by_layer = false;  ///< Domino's slices meet at the end of each layer
};

/// What the hosts keep for their devices. Weights there are updated there: with them goes the
/// optimizer.
struct Offload {
  bool optimizer = false, activations = false, weights = false;
  bool any() const { return optimizer || activations; }
  /// Passes of a stage fetch something, layer by layer.
  bool from_passes() const { return activations || weights; }
};

/// A whole training run.
struct TrainingRun {
  double tokens = 0;
  std::optional<double> deadline_s;
};

struct Experiment {
  config::Value document;  ///< as given, with catalogue names looked up
  std::optional<SyntheticModel> synthetic;
  Parallel parallel;
  StageMeshes meshes;
  Batch batch;
  DType precision = DType::bf16;
  Scaling scaling = Scaling::delayed;  ///< under fp8
  Axis amax_over = Axis::stage;        ///< who agrees on largest numbers under delayed scaling
  DType gradients = DType::fp32;
  Framework framework = Framework::megatron;
  bool blocking_launches = false;  ///< the host waits for every kernel it starts
  Offload offload;
  std::string network = "flow";
  PacketOptions packet;  ///< of network: packet
  Overlap overlap;
  Stragglers stragglers;
  std::optional<Variation> variation;
  std::optional<Failures> failures;
  int iterations = 1;
  std::optional<TrainingRun> training;
  // What stands in place of model, parallel and schedule, if anything.
  std::optional<config::Value> trace;  ///< the path of a GOAL file, or a prefix of Chakra's
  bool trace_is_chakra = false;
  std::optional<config::Value> traffic;  ///< a list of flows, or the path of a CSV file
  std::optional<config::Value> peers;    ///< in place of a schedule only

  bool has_schedule() const { return !trace && !traffic && !peers; }
  /// The value of a top-level key; fails at the document where a needed key is missing.
  const config::Value& at(std::string_view key) const;
};

/// The document with the names and files of its experiment and model looked up.
config::Value resolve(const config::Value& document, const config::Catalogue& catalogue);

/// Reads `trace` and `traffic`, in its own file. Throws InputError for what has no meaning there.
void read_replacement(Experiment& experiment);

/// Reads `parallel.tensor_kind`: 1d, 2d, 2.5d, {2.5d: DEPTH} or 3d, for `tensor` ranks.
TensorGrid read_tensor_kind(const config::Value& value, int tensor);

/// Reads `parallel.sbp`: a grid of devices and how each of its sides cuts each product.
void read_signatures(const config::Value& value, Parallel& parallel);

/// Reads `network: {packet: ...}`.
PacketOptions read_packet_options(const config::Value& value);

/// Reads a resolved document. Throws InputError for the first thing that is wrong.
Experiment read_experiment(const config::Value& document);

/// Throws InputError where an experiment has what can be simulated, but not be `done` ("exported")
/// by this version: resharding between stages, copies to a host, documents of unequal length.
void refuse_simulated_only(const Experiment& experiment, std::string_view done);

}  // namespace pipewright
