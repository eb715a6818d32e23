// What of a program is compute.
#pragma once

#include "program/program.hpp"

namespace pipewright {

/// Tells whether ops of `type` keep the device of their rank busy: passes and optimizer steps.
inline bool computes(const OpType& type) {
  return type.kind == OpKind::compute || type.kind == OpKind::step;
}

}  // namespace pipewright
