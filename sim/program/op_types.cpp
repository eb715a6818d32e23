#include "program/op_types.hpp"

namespace pipewright {

using schedule::Pass;

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
  abort_with("an unknown pass");
}

namespace {

/// Output goes to the next stage, gradients of the input to the one before.
uint32_t resharding_of(const std::vector<ReshardingEdge>& resharding_edges, Pass pass, int stage) {
  const auto to_next = static_cast<size_t>(stage);
  if (pass == Pass::forward)
    return to_next < resharding_edges.size() ? resharding_edges[to_next].forward : none;
  return stage > 0 && to_next - 1 < resharding_edges.size() ? resharding_edges[to_next - 1].backward
                                                            : none;
}

const std::vector<Bytes>& offloaded_activations(const LoweringInput& input, int stage) {
  static const std::vector<Bytes> nothing;
  return input.offloaded.stages.empty() ? nothing : input.offloaded.stages[stage].activations;
}

}  // namespace

OpTypes::OpTypes(const LoweringInput& input, Program& program)
    : slices_(static_cast<size_t>(input.schedule.slices)) {
  TypeAdder adder(program);
  for (int stage = 0; stage < input.schedule.stages; ++stage) {
    for (size_t slice = 0; slice < slices_; ++slice) {
      const StageWork& work = input.stages[slices_of_stages_.size()];
      slices_of_stages_.push_back(add_slice(adder, input, stage, work));
    }
  }
  if (!input.schedule.evictions.empty()) add_moves(adder, input);
  for (int stage = 0; stage < static_cast<int>(input.updates.size()); ++stage)
    updates_.push_back(add_update(adder, input.updates[static_cast<size_t>(stage)], stage));
  add_whole_model(adder, input);
  for (int stage = 0; stage < static_cast<int>(input.sharded.stages.size()); ++stage)
    shards_.push_back(add_shards(adder, input, stage));
  for (const OffloadedState::Stage& parts : input.offloaded.stages)
    offloads_.push_back(add_offloads(adder, parts, static_cast<int>(offloads_.size())));
  marker_ = adder.add({.kind = OpKind::marker});
  for (int stage = 0; stage < input.schedule.stages; ++stage) {
    auto& of_stage = message_markers_.emplace_back();
    for (const Pass pass :
         {Pass::forward, Pass::backward, Pass::input_gradient, Pass::weight_gradient})
      of_stage[static_cast<size_t>(pass)] =
          adder.add({.kind = OpKind::marker, .pass = pass, .stage = stage});
  }
}

OpTypes::Slice OpTypes::add_slice(TypeAdder& adder, const LoweringInput& input, int stage,
                                  const StageWork& work) {
  const std::vector<Bytes>& moved = offloaded_activations(input, stage);
  Slice types;
  for (const Pass pass :
       {Pass::forward, Pass::backward, Pass::input_gradient, Pass::weight_gradient})
    types.passes.push_back(add_pass(adder, {pass, stage, work, segments_of(work, pass), moved}));
  const auto add_last = [&](Pass pass, const Segments& last) {
    types.passes.push_back(last.empty() ? std::vector<SegmentTypes>{}
                                        : add_pass(adder, {pass, stage, work, last, moved}));
  };
  add_last(Pass::backward, work.last_backward);
  add_last(Pass::weight_gradient, work.last_weight_gradient);
  if (work.pair) {
    const Bytes held = work.activation;
    types.pair =
        adder.add({.paired = true, .stage = stage, .memory = {.allocates = held, .frees = held}},
                  {*work.pair});
  }
  for (const Pass pass : {Pass::forward, Pass::backward, Pass::input_gradient}) {
    types.transfers.push_back(
        adder.add({.kind = OpKind::transfer,
                   .pass = pass,
                   .stage = stage,
                   .resharding = resharding_of(input.resharding_edges, pass, stage),
                   .bytes = pass == Pass::forward ? work.forward_output : work.backward_output}));
  }
  return types;
}

void OpTypes::add_moves(TypeAdder& adder, const LoweringInput& input) {
  for (int stage = 0; stage < input.schedule.stages; ++stage) {
    const Bytes activation = input.stages[static_cast<size_t>(stage) * slices_].activation;
    moves_.push_back(adder.add({.kind = OpKind::transfer,
                                .moves_activation = true,
                                .stage = stage,
                                .bytes = activation,
                                .memory = {.allocates = activation, .frees = activation}}));
  }
}

/// Adds what stages that read the embedding, or all devices, do together at the end of an
/// iteration.
void OpTypes::add_whole_model(TypeAdder& adder, const LoweringInput& input) {
  const auto add_sum = [&](Bytes bytes) {
    return adder.add_collective({CollectiveKind::all_reduce, Axis::pipeline, bytes}, Traffic::data,
                                0);
  };
  if (input.validate_first && !input.updates.empty()) norm_ = add_sum(Bytes{8});
  if (input.tied_embedding.gradient > Bytes{}) {
    tied_embedding_ = add_sum(input.tied_embedding.gradient);
    adder.type(tied_embedding_).tied = true;
  }
}

}  // namespace pipewright
