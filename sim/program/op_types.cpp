#include "program/op_types.hpp"

#include <algorithm>

namespace pipewright {

using schedule::Pass;

namespace {

Traffic traffic_of(Axis axis) {
  switch (axis) {
    case Axis::tensor:
    case Axis::tensor_context:
    case Axis::tensor_row:
    case Axis::tensor_column:
    case Axis::tensor_depth:
    case Axis::tensor_row_column:
    case Axis::tensor_row_depth:
    case Axis::tensor_column_depth:
      return Traffic::tensor;
    case Axis::context:
      return Traffic::context;
    case Axis::expert:
      return Traffic::expert;
    case Axis::data:
    case Axis::stage:
    case Axis::shard:
    case Axis::copies:
    case Axis::expert_copies:
      return Traffic::data;
    case Axis::pipeline:
      return Traffic::pipeline;
  }
  return Traffic::pipeline;
}

const Segments& segments_of(const StageWork& work, Pass pass) {
  switch (pass) {
    case Pass::forward:
      return work.forward;
    case Pass::backward:
      return work.backward;
    case Pass::input_gradient:
      return work.input_gradient;
    case Pass::weight_gradient:
      return work.weight_gradient;
  }
  return work.forward;
}

/// Activations are taken by the forward pass and given back by the one that no longer needs them;
/// what recomputation brings back lives while the backward (or its first half) runs.
void set_memory(Pass pass, Bytes activation, Bytes transient, OpType& first, OpType& last) {
  switch (pass) {
    case Pass::forward:
      first.allocates += activation;
      break;
    case Pass::backward:
      first.allocates += transient;
      last.frees += transient + activation;
      break;
    case Pass::input_gradient:
      first.allocates += transient;
      last.frees += transient;
      break;
    case Pass::weight_gradient:
      last.frees += activation;
      break;
  }
}

/// Output goes to the next stage, gradients of the input to the one before.
uint32_t resharding_of(const std::vector<ReshardingEdge>& resharding_edges, Pass pass, int stage) {
  const auto to_next = static_cast<size_t>(stage);
  if (pass == Pass::forward)
    return to_next < resharding_edges.size() ? resharding_edges[to_next].forward : none;
  return stage > 0 && to_next - 1 < resharding_edges.size() ? resharding_edges[to_next - 1].backward
                                                            : none;
}

/// The mesh of the first rank that has the stage.
const Mesh& mesh_of(const LoweringInput& input, int stage) {
  const auto& order = input.schedule.order;
  const auto holds = [&](const schedule::Order& rank) {
    return std::ranges::any_of(rank, [&](const schedule::Action& a) { return a.stage == stage; });
  };
  return input.grid.mesh(static_cast<int>(std::ranges::find_if(order, holds) - order.begin()));
}

const std::vector<Bytes>& offloaded_activations(const LoweringInput& input, int stage) {
  static const std::vector<Bytes> nothing;
  return input.offloaded.stages.empty() ? nothing : input.offloaded.stages[stage].activations;
}

}  // namespace

OpTypes::OpTypes(const LoweringInput& input, Program& program)
    : program_(program), slices_(static_cast<size_t>(input.schedule.slices)) {
  for (int stage = 0; stage < input.schedule.stages; ++stage) {
    for (int slice = 0; slice < input.schedule.slices; ++slice) {
      const StageWork& work = input.stages[index(stage, slice)];
      const std::vector<Bytes>& moved = offloaded_activations(input, stage);
      std::vector<std::vector<SegmentTypes>>& passes = passes_.emplace_back();
      for (const Pass pass :
           {Pass::forward, Pass::backward, Pass::input_gradient, Pass::weight_gradient}) {
        passes.push_back(add_pass(pass, stage, work, segments_of(work, pass), moved));
      }
      const auto add_last = [&](Pass pass, const Segments& last) {
        passes.push_back(last.empty() ? std::vector<SegmentTypes>{}
                                      : add_pass(pass, stage, work, last, moved));
      };
      add_last(Pass::backward, work.last_backward);
      add_last(Pass::weight_gradient, work.last_weight_gradient);
      OpType pair{
          .paired = true, .stage = stage, .allocates = work.activation, .frees = work.activation};
      pairs_.push_back(work.pair ? add(pair, {*work.pair}) : none);
      std::vector<uint32_t>& transfers = transfers_.emplace_back();
      for (const Pass pass : {Pass::forward, Pass::backward, Pass::input_gradient}) {
        transfers.push_back(
            add({.kind = OpKind::transfer,
                 .pass = pass,
                 .stage = stage,
                 .resharding = resharding_of(input.resharding_edges, pass, stage),
                 .bytes = pass == Pass::forward ? work.forward_output : work.backward_output},
                {}));
      }
    }
  }
  if (!input.schedule.evictions.empty()) add_moves(input);
  add_updates(input);
  add_shards(input);
  add_offloads(input);
  marker_ = add({.kind = OpKind::marker}, {});
}

uint32_t OpTypes::add(OpType type, const std::vector<Work>& works) {
  type.first_work = static_cast<uint32_t>(program_.works.size());
  type.work_count = static_cast<uint32_t>(works.size());
  program_.works.insert(program_.works.end(), works.begin(), works.end());
  program_.types.push_back(type);
  return static_cast<uint32_t>(program_.types.size() - 1);
}

uint32_t OpTypes::add_copy(Bytes bytes, bool to_host, int stage, Pass pass) {
  return add({.kind = OpKind::copy,
              .pass = pass,
              .traffic = Traffic::host,
              .first = false,
              .last = false,
              .to_host = to_host,
              .stage = stage,
              .bytes = bytes},
             {});
}

uint32_t OpTypes::add_collective(const CollectiveWork& work, Traffic traffic, int stage) {
  return add({.kind = OpKind::collective,
              .traffic = traffic,
              .collective = work.kind,
              .first = false,
              .last = false,
              .stage = stage,
              .bytes = work.bytes},
             {});
}

std::vector<SegmentTypes> OpTypes::add_pass(Pass pass, int stage, const StageWork& work,
                                            const Segments& given,
                                            const std::vector<Bytes>& activations) {
  static const Segments nothing(1);  // a stage without layers still passes its input on
  const Segments& segments = given.empty() ? nothing : given;
  std::vector<SegmentTypes> types;
  for (const Segment& segment : segments) {
    SegmentTypes& type = types.emplace_back();
    type.part = segment.part;
    type.chain = segment.chain;
    type.joins = segment.joins;
    type.starts_part = types.size() == 1 || (&type)[-1].part != segment.part;
    type.ends_part = &segment == &segments.back() || (&segment)[1].part != segment.part;
    type.compute =
        add({.pass = pass, .first = false, .last = false, .stage = stage}, segment.kernels);
    if (!segment.collective) continue;
    type.axis = segment.collective->axis;
    type.collective = add_collective(*segment.collective, traffic_of(type.axis), stage);
    program_.types[type.collective].pass = pass;
  }
  // Every pass ends in an op of its own rank, also where others take part in its last collective.
  if (types.back().collective != none) {
    types.back().ends_part = false;
    types.push_back(
        {.compute = add({.pass = pass, .first = false, .last = false, .stage = stage}, {}),
         .part = types.back().part,
         .ends_part = true});
  }
  types.front().joins = types.back().joins = true;
  OpType& first = program_.types[types.front().compute];
  OpType& last = program_.types[types.back().compute];
  first.first = true;
  last.last = true;
  set_memory(pass, activations.empty() ? work.activation : Bytes{}, work.transient, first, last);
  for (size_t k = 0; k < types.size() && !activations.empty(); ++k) {
    if (types[k].compute == types.back().compute && given.empty()) break;
    const Bytes held = activations[static_cast<size_t>(types[k].part)];
    OpType nothing, &type = program_.types[types[k].compute];
    set_memory(pass, held, {}, types[k].starts_part ? type : nothing,
               types[k].ends_part ? type : nothing);
  }
  return types;
}

void OpTypes::add_shards(const LoweringInput& input) {
  for (size_t stage = 0; stage < input.sharded.stages.size(); ++stage) {
    const ShardedWeights::Stage& parts = input.sharded.stages[stage];
    const Mesh& mesh = mesh_of(input, static_cast<int>(stage));
    const auto add = [&](CollectiveKind kind, Axis axis, Bytes bytes) {
      return add_collective({kind, axis, bytes}, Traffic::data, static_cast<int>(stage));
    };
    std::vector<ShardTypes>& types = shards_.emplace_back();
    for (size_t part = 0; part < parts.weights.size(); ++part) {
      const Bytes gradient = parts.gradients[part];
      ShardTypes& type = types.emplace_back();
      type.gather = add(CollectiveKind::all_gather, Axis::shard, parts.weights[part]);
      type.scatter = add(CollectiveKind::reduce_scatter, Axis::shard, gradient);
      if (mesh.shard < mesh.replicas()) {
        const Bytes piece{(gradient.count + mesh.shard - 1) / mesh.shard};
        type.sum = add(CollectiveKind::all_reduce, Axis::copies, piece);
      }
    }
  }
}

void OpTypes::add_offloads(const LoweringInput& input) {
  for (size_t s = 0; s < input.offloaded.stages.size(); ++s) {
    const OffloadedState::Stage& parts = input.offloaded.stages[s];
    const int stage = static_cast<int>(s);
    std::vector<OffloadTypes>& types = offloads_.emplace_back();
    types.resize(std::max(parts.weights.size(), parts.activations.size()));
    for (size_t part = 0; part < parts.weights.size(); ++part)
      types[part].weights = add_copy(parts.weights[part], false, stage, Pass::forward);
    for (size_t part = 0; part < parts.activations.size(); ++part) {
      const Bytes bytes = parts.activations[part];
      types[part].leave = add_copy(bytes, true, stage, Pass::forward);
      types[part].come_back = add_copy(bytes, false, stage, Pass::backward);
      for (const uint32_t type : {types[part].leave, types[part].come_back})
        program_.types[type].moves_activation = true;
      program_.types[types[part].leave].frees = bytes;
      program_.types[types[part].come_back].allocates = bytes;
    }
  }
}

void OpTypes::add_host_steps(const UpdateWork& update, int stage) {
  std::vector<HostStepTypes>& steps = on_host_.emplace_back();
  for (const UpdateWork::HostPart& part : update.on_host) {
    HostStepTypes& types = steps.emplace_back();
    types.gradients = add_copy(part.gradients, true, stage, Pass::backward);
    types.step = add({.kind = OpKind::step, .stage = stage}, {Work{.fixed = part.step}});
    if (part.weights > Bytes{}) types.weights = add_copy(part.weights, false, stage, Pass::forward);
  }
}

void OpTypes::add_moves(const LoweringInput& input) {
  for (int stage = 0; stage < input.schedule.stages; ++stage) {
    const Bytes activation = input.stages[index(stage, 0)].activation;
    moves_.push_back(add({.kind = OpKind::transfer,
                          .moves_activation = true,
                          .stage = stage,
                          .bytes = activation,
                          .allocates = activation,
                          .frees = activation},
                         {}));
  }
}

void OpTypes::add_updates(const LoweringInput& input) {
  for (int stage = 0; stage < static_cast<int>(input.updates.size()); ++stage) {
    const UpdateWork& update = input.updates[stage];
    std::vector<UpdateTypes>& reduce = reduce_.emplace_back();
    for (const std::vector<CollectiveWork>* works : {&update.reduce, &update.reduce_experts}) {
      for (size_t part = 0; part < works->size(); ++part) {
        const CollectiveWork& work = (*works)[part];
        if (work.bytes > Bytes{})
          reduce.push_back({add_collective(work, Traffic::data, stage), work.axis, part});
      }
    }
    for (const auto& [part, work] : update.reduce_over_sides)
      reduce.push_back({add_collective(work, Traffic::data, stage), work.axis, part});
    std::stable_sort(reduce.begin(), reduce.end(),
                     [](const UpdateTypes& a, const UpdateTypes& b) { return a.part < b.part; });
    std::vector<UpdateTypes>& gather = gather_.emplace_back();
    for (const CollectiveWork& work : update.gather)
      gather.push_back({add_collective(work, Traffic::data, stage), work.axis, 0});
    add_host_steps(update, stage);
    step_.push_back(update.kernels.empty()
                        ? none
                        : add({.kind = OpKind::step, .stage = stage}, update.kernels));
  }
  if (input.validate_first && !input.updates.empty())
    norm_ =
        add_collective({CollectiveKind::all_reduce, Axis::pipeline, Bytes{8}}, Traffic::data, 0);
  if (input.tied_embedding > Bytes{}) {
    tied_embedding_ = add_collective(
        {CollectiveKind::all_reduce, Axis::pipeline, input.tied_embedding}, Traffic::data, 0);
    program_.types[tied_embedding_].tied = true;
  }
}

}  // namespace pipewright
