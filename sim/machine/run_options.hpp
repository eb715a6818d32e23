// How a run is asked for, beside the experiment itself.
#pragma once

#include <cstdint>
#include <memory>

#include "machine/what_if.hpp"

namespace pipewright {

class MachineCache;

struct RunOptions {
  bool fold = true;  ///< simulate identical ranks once
  /// Time collectives message by message, by algorithms over the links' data sheets.
  bool expand_collectives = false;
  bool allow_commands = false;
  /// Where a run of an asynchronous schedule is too short for its steady state, takes that from a
  /// longer one.
  bool steady_state = true;
  uint64_t seed = 0;
  WhatIf what_if;
  std::shared_ptr<MachineCache> machines;  ///< of runs on the same cluster; may be empty
};

}  // namespace pipewright
