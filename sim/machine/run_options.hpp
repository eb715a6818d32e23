// The options of a run, beside the experiment itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "machine/machine_factors.hpp"

namespace pipewright {

class MachineCache;

struct RunOptions {
  bool fold = true;  ///< simulate identical ranks once
  /// Simulate one period where micro-batches repeat the ones before them.
  bool fold_micro_batches = true;
  /// Time collectives message by message, by algorithms over the links' data sheets.
  bool expand_collectives = false;
  bool allow_commands = false;
  /// Takes the steady state of an asynchronous schedule from a longer run where this one is too
  /// short for it.
  bool steady_state = true;
  bool if_free = false;  ///< simulate also what would be gained if each cost were nothing
  /// Throws Failure where ranks have to be unfolded to more ops than this.
  uint64_t most_unfolded_ops = UINT64_MAX;
  uint64_t seed = 0;
  int jobs = 1;  ///< runs of one experiment at a time; 0: as many as there are processors
  /// Throws Stopped at the next step of a run once it is true; may be null.
  const std::atomic<bool>* stop = nullptr;
  MachineFactors machine_factors;
  std::shared_ptr<MachineCache> machines;  ///< of runs on the same cluster; may be empty
};

}  // namespace pipewright
