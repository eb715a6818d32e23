#include "program/pass_types.hpp"

#include "base/error.hpp"

namespace pipewright {

using schedule::Pass;

namespace {

Traffic traffic_of(Axis axis) {
  switch (axis) {
    case Axis::tensor:
    case Axis::tensor_context:
    case Axis::expert_tensor:
    case Axis::tensor_row:
    case Axis::tensor_column:
    case Axis::tensor_depth:
    case Axis::tensor_row_column:
    case Axis::tensor_row_depth:
    case Axis::tensor_column_depth:
      return Traffic::tensor;
    case Axis::context:
    case Axis::context_heads:
    case Axis::context_ring:
      return Traffic::context;
    case Axis::expert:
    case Axis::expert_block:
      return Traffic::expert;
    case Axis::data:
    case Axis::stage:
    case Axis::shard:
    case Axis::copies:
    case Axis::expert_copies:
    case Axis::sites:
    case Axis::near:
    case Axis::near_copies:
      return Traffic::data;
    case Axis::pipeline:
      return Traffic::pipeline;
  }
  return Traffic::pipeline;
}

/// Activations are taken by the forward pass and given back by the one that no longer needs them;
/// what recomputation brings back lives while the backward (or its first half) runs.
void set_memory(Pass pass, Bytes activation, Bytes transient, OpType& first, OpType& last) {
  switch (pass) {
    case Pass::forward:
      first.memory.allocates += activation;
      break;
    case Pass::backward:
      first.memory.allocates += transient;
      last.memory.frees += transient + activation;
      break;
    case Pass::input_gradient:
      first.memory.allocates += transient;
      last.memory.frees += transient;
      break;
    case Pass::weight_gradient:
      last.memory.frees += activation;
      break;
  }
}

SegmentTypes add_segment(TypeAdder& adder, const PassOfStage& pass, const Segment& segment) {
  SegmentTypes type;
  type.part = segment.part;
  type.chain = segment.chain;
  type.joins = segment.joins;
  type.compute = adder.add({.pass = pass.pass, .first = false, .last = false, .stage = pass.stage},
                           segment.kernels);
  if (!segment.collective) return type;
  type.axis = segment.collective->axis;
  type.collective = adder.add_collective(*segment.collective, traffic_of(type.axis), pass.stage);
  adder.type(type.collective).pass = pass.pass;
  adder.type(type.collective).captured = segment.captured;
  return type;
}

void mark_parts(std::vector<SegmentTypes>& types) {
  for (size_t k = 0; k < types.size(); ++k) {
    types[k].starts_part = k == 0 || types[k - 1].part != types[k].part;
    types[k].ends_part = k + 1 == types.size() || types[k + 1].part != types[k].part;
  }
}

/// Every pass ends in an op of its own rank, also where others take part in its last collective.
void end_on_own_rank(TypeAdder& adder, const PassOfStage& pass, std::vector<SegmentTypes>& types) {
  if (types.back().collective == none) return;
  types.back().ends_part = false;
  types.push_back({.compute = adder.add(
                       {.pass = pass.pass, .first = false, .last = false, .stage = pass.stage}),
                   .part = types.back().part,
                   .ends_part = true});
}

/// Returns what a pass's stage keeps on the device of its activations.
Bytes staying(const PassOfStage& pass) {
  Bytes stays = pass.work.activation;
  for (const Bytes moved : pass.moved_activations) stays -= moved;
  ensure(stays >= Bytes{}, "no more leaves for the host than a stage keeps");
  return stays;
}

/// Activations that leave for the host are taken and given back part by part.
void set_memory_of_parts(TypeAdder& adder, const PassOfStage& pass,
                         const std::vector<SegmentTypes>& types) {
  if (pass.segments.empty()) return;
  for (const SegmentTypes& segment : types) {
    const Bytes held = pass.moved_activations[static_cast<size_t>(segment.part)];
    OpType nothing, &type = adder.type(segment.compute);
    set_memory(pass.pass, held, {}, segment.starts_part ? type : nothing,
               segment.ends_part ? type : nothing);
  }
}

}  // namespace

std::vector<SegmentTypes> add_pass(TypeAdder& adder, const PassOfStage& pass) {
  static const Segments nothing(1);  // a stage without layers still passes its input on
  std::vector<SegmentTypes> types;
  for (const Segment& segment : pass.segments.empty() ? nothing : pass.segments)
    types.push_back(add_segment(adder, pass, segment));
  mark_parts(types);
  end_on_own_rank(adder, pass, types);
  types.front().joins = types.back().joins = true;
  OpType& first = adder.type(types.front().compute);
  OpType& last = adder.type(types.back().compute);
  first.first = true;
  last.last = true;
  set_memory(pass.pass, staying(pass), pass.work.transient, first, last);
  if (!pass.moved_activations.empty()) set_memory_of_parts(adder, pass, types);
  return types;
}

}  // namespace pipewright
