// The request of a 'sweep' command line, and how it is done: in one process, or as the first of
// many.
#pragma once

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/sweep_output.hpp"
#include "study/sweep.hpp"

namespace pipewright::cli {

struct SweepRequest {
  CommonOptions common;
  Study study;
  std::string store;          ///< file; empty: in memory
  int jobs = 0;               ///< runs at a time; 0: as many as there are cores
  int shard = 1, shards = 1;  ///< this part of so many
};

SweepRequest read_sweep(const Arguments& arguments, const Environment& environment);

/// Returns what besides the program decides the results.
std::string results_depend_on(const SweepRequest& request);

/// Sweeps, and returns the runs that were done when the caller wanted no more.
std::unique_ptr<SweepOutcome> swept(const SweepRequest& request, const Environment& environment,
                                    decltype(SweepOptions::spread) spread = {});

/// Sweeps with progress on a terminal, where `spread` says (SweepOptions), and writes what is asked
/// for. Returns the exit status.
int run_sweep(const SweepRequest& request, const Environment& environment,
              decltype(SweepOptions::spread) spread = {});

}  // namespace pipewright::cli
