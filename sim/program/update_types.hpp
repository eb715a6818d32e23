// The op types of what ends an iteration on one stage.
#pragma once

#include <vector>

#include "program/lower.hpp"
#include "program/type_adder.hpp"

namespace pipewright {

/// A collective on gradients, or on updated weights.
struct UpdateTypes {
  uint32_t type = none;
  Axis axis = Axis::data;
  size_t part = 0;  ///< of the last backward pass, that completes the gradients
};

/// One part of a step that the host makes.
struct HostStepTypes {
  uint32_t gradients = none, step = none, weights = none;
};

/// What a stage does where sites meet after its step; `none` where it exchanges nothing.
struct OuterTypes {
  uint32_t difference = none, exchange = none, step = none;
  std::vector<UpdateTypes> gather;
};

struct StageUpdateTypes {
  std::vector<UpdateTypes> reduce;  ///< in the order in which the backward pass completes gradients
  std::vector<UpdateTypes> gather;
  std::vector<HostStepTypes> on_host;  ///< by part of the gradients
  uint32_t step = none;
  OuterTypes outer;
};

StageUpdateTypes add_update(TypeAdder& adder, const UpdateWork& update, int stage);

}  // namespace pipewright
