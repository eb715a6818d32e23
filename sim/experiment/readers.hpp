// Readers of values that have several forms. The table of options names them.
#pragma once

#include "experiment/options.hpp"

namespace pipewright {

/// Each reads a value or throws InputError at it. Those with a second argument fill it.
/// What Parallel::data is under `data: auto`, until it is settled.
inline constexpr int fill_cluster = -1;
void read_data_degree(const config::Value& value, Parallel& parallel);
void read_context(const config::Value& value, Parallel& parallel);
void read_tensor_kind_into(const config::Value& value, Parallel& parallel);
void read_signatures(const config::Value& value, Parallel& parallel);
void read_precision(const config::Value& value, ExperimentOptions& options);
DType read_gradients(const config::Value& value);
Recompute read_recompute(const config::Value& value);
Framework read_framework(const config::Value& value);
LaunchOptions read_launches(const config::Value& value);
LossOptions read_loss(const config::Value& value);
Offload read_offload(const config::Value& value);
Adapters read_adapters(const config::Value& value);
FrozenParts read_frozen(const config::Value& value);
NetworkOptions read_network(const config::Value& value);
PacketOptions read_packet_options(const config::Value& value);
/// Reads the routes and seeds of a training iteration from the same map.
FlowOptions read_packet_routes(const config::Value& value);
SendOptions read_p2p(const config::Value& value);
TensorOverlapOptions read_tensor_overlap(const config::Value& value);
BoundaryOptions read_boundary(const config::Value& value);
DispatchOptions read_dispatch(const config::Value& value);
Placement read_placement(const config::Value& value);
PartitionOptions read_partition(const config::Value& value);

/// Each holds the keys of a map, as read, against each other.
void finish_parallel(const config::Fields& fields, Parallel& parallel);
void finish_variation(const config::Fields& fields, Variation& variation);
void finish_failures(const config::Fields& fields, Failures& failures);

/// Throws Misfit where the framework that is named does not let replicas share out so much.
void require_stage_of_framework(const Experiment& experiment);

/// True where the experiment's model has experts.
bool has_experts(const Experiment& experiment);

}  // namespace pipewright
