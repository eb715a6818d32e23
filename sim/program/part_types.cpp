#include "program/part_types.hpp"

#include <algorithm>

namespace pipewright {

using schedule::Pass;

namespace {

/// The mesh of the first rank that has the stage.
const Mesh& mesh_of(const LoweringInput& input, int stage) {
  const auto& order = input.schedule.order;
  const auto holds = [&](const schedule::Order& rank) {
    return std::ranges::any_of(rank, [&](const schedule::Action& a) { return a.stage == stage; });
  };
  return input.grid.mesh(static_cast<int>(std::ranges::find_if(order, holds) - order.begin()));
}

}  // namespace

std::vector<ShardTypes> add_shards(TypeAdder& adder, const LoweringInput& input, int stage) {
  const ShardedWeights::Stage& parts = input.sharded.stages[static_cast<size_t>(stage)];
  const Mesh& mesh = mesh_of(input, stage);
  const auto add = [&](CollectiveKind kind, Axis axis, Bytes bytes) {
    return adder.add_collective({kind, axis, bytes}, Traffic::data, stage);
  };
  const Axis axis = input.sharded.stepped ? Axis::data : Axis::shard;
  std::vector<ShardTypes> types;
  for (size_t part = 0; part < parts.weights.size(); ++part) {
    ShardTypes& type = types.emplace_back();
    const auto add_to = [&](std::vector<ShardTypes::OverAxis>& all, CollectiveKind kind, Axis over,
                            Bytes bytes) {
      if (bytes > Bytes{}) all.push_back({add(kind, over, bytes), over});
    };
    add_to(type.gathers, CollectiveKind::all_gather, axis, parts.weights[part]);
    add_to(type.gathers, CollectiveKind::all_gather, Axis::expert_copies, parts.experts[part]);
    if (input.sharded.near_weights) {
      add_to(type.near_gathers, CollectiveKind::all_gather, Axis::near, parts.weights[part]);
      add_to(type.near_gathers, CollectiveKind::all_gather, Axis::expert_copies,
             parts.experts[part]);
    }
    if (!input.sharded.scatter) continue;
    const Bytes gradient = parts.gradients[part];
    if (input.sharded.near_gradients) {
      add_to(type.scatters, CollectiveKind::all_to_all, Axis::near, gradient);
      add_to(type.scatters, CollectiveKind::all_to_all, Axis::near_copies,
             Bytes{gradient.count / mesh.near});
      add_to(type.scatters, CollectiveKind::reduce_scatter, Axis::expert_copies,
             parts.expert_gradients[part]);
      continue;
    }
    add_to(type.scatters, CollectiveKind::reduce_scatter, axis, gradient);
    add_to(type.scatters, CollectiveKind::reduce_scatter, Axis::expert_copies,
           parts.expert_gradients[part]);
    if (!parts.pieces.empty() && parts.pieces[part] > Bytes{})
      type.sum = add(CollectiveKind::all_reduce, Axis::copies, parts.pieces[part]);
  }
  return types;
}

std::vector<OffloadTypes> add_offloads(TypeAdder& adder, const OffloadedState::Stage& parts,
                                       int stage) {
  std::vector<OffloadTypes> types(std::max(parts.weights.size(), parts.activations.size()));
  for (size_t part = 0; part < parts.weights.size(); ++part)
    types[part].weights = adder.add_copy(parts.weights[part], false, stage, Pass::forward);
  for (size_t part = 0; part < parts.activations.size(); ++part) {
    const Bytes bytes = parts.activations[part];
    const uint32_t leave = adder.add_copy(bytes, true, stage, Pass::forward);
    const uint32_t come_back = adder.add_copy(bytes, false, stage, Pass::backward);
    types[part].leave = leave;
    types[part].come_back = come_back;
    adder.type(leave).moves_activation = adder.type(come_back).moves_activation = true;
    adder.type(leave).memory.frees = bytes;
    adder.type(come_back).memory.allocates = bytes;
  }
  return types;
}

}  // namespace pipewright
