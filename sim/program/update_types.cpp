#include "program/update_types.hpp"

#include <algorithm>

namespace pipewright {

using schedule::Pass;

namespace {

UpdateTypes add_collective(TypeAdder& adder, const CollectiveWork& work, int stage, size_t part) {
  return {adder.add_collective(work, Traffic::data, stage), work.axis, part};
}

std::vector<UpdateTypes> add_reductions(TypeAdder& adder, const UpdateWork& update, int stage) {
  std::vector<UpdateTypes> types;
  for (const std::vector<CollectiveWork>* works : {&update.reduce, &update.reduce_experts})
    for (size_t part = 0; part < works->size(); ++part)
      if ((*works)[part].bytes > Bytes{})
        types.push_back(add_collective(adder, (*works)[part], stage, part));
  for (const auto& [part, work] : update.reduce_over_sides)
    types.push_back(add_collective(adder, work, stage, part));
  std::ranges::stable_sort(types, {}, &UpdateTypes::part);
  return types;
}

std::vector<HostStepTypes> add_host_steps(TypeAdder& adder, const UpdateWork& update, int stage) {
  std::vector<HostStepTypes> steps;
  for (const UpdateWork::HostPart& part : update.on_host) {
    HostStepTypes& types = steps.emplace_back();
    types.gradients = adder.add_copy(part.gradients, true, stage, Pass::backward);
    types.step = adder.add({.kind = OpKind::step, .stage = stage}, {Work{.fixed = part.step}});
    if (part.weights > Bytes{})
      types.weights = adder.add_copy(part.weights, false, stage, Pass::forward);
  }
  return steps;
}

OuterTypes add_outer(TypeAdder& adder, const OuterWork& outer, int stage) {
  OuterTypes types;
  if (outer.exchange.bytes == Bytes{}) return types;
  types.difference = adder.add({.kind = OpKind::step, .stage = stage}, {outer.difference});
  types.exchange = adder.add_collective(outer.exchange, Traffic::data, stage);
  types.step = adder.add({.kind = OpKind::step, .stage = stage}, {outer.step});
  for (const CollectiveWork& work : outer.gather)
    types.gather.push_back(add_collective(adder, work, stage, 0));
  return types;
}

}  // namespace

StageUpdateTypes add_update(TypeAdder& adder, const UpdateWork& update, int stage) {
  StageUpdateTypes types;
  types.reduce = add_reductions(adder, update, stage);
  for (const CollectiveWork& work : update.gather)
    types.gather.push_back(add_collective(adder, work, stage, 0));
  types.on_host = add_host_steps(adder, update, stage);
  if (!update.kernels.empty())
    types.step = adder.add({.kind = OpKind::step, .stage = stage}, update.kernels);
  if (update.outer) types.outer = add_outer(adder, *update.outer, stage);
  return types;
}

}  // namespace pipewright
