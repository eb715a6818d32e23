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
  std::vector<ShardTypes> types;
  for (size_t part = 0; part < parts.weights.size(); ++part) {
    ShardTypes& type = types.emplace_back();
    const auto add_gather = [&](Axis axis, Bytes bytes) {
      type.gathers.push_back({add(CollectiveKind::all_gather, axis, bytes), axis});
    };
    if (input.sharded.stepped) {
      if (parts.weights[part] > Bytes{}) add_gather(Axis::data, parts.weights[part]);
      if (parts.experts[part] > Bytes{}) add_gather(Axis::expert_copies, parts.experts[part]);
      continue;
    }
    const Bytes gradient = parts.gradients[part];
    add_gather(Axis::shard, parts.weights[part]);
    type.scatter = add(CollectiveKind::reduce_scatter, Axis::shard, gradient);
    if (mesh.shard < mesh.site_replicas()) {
      const Bytes piece{(gradient.count + mesh.shard - 1) / mesh.shard};
      type.sum = add(CollectiveKind::all_reduce, Axis::copies, piece);
    }
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
