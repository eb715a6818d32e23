// Runs the points of a study, many at a time.
#pragma once

#include <atomic>
#include <functional>
#include <span>

#include "machine/run_options.hpp"
#include "simulate/run.hpp"
#include "study/study_file.hpp"
#include "study/sweep_store.hpp"

namespace pipewright {

struct SweepProgress {
  int64_t done = 0;  ///< of this sweep, those found in the store included
  int64_t total = 0;
  int64_t found = 0;  ///< in the store
};

struct SweepOptions {
  RunOptions run;
  int jobs = 0;               ///< threads; 0: as many as cores
  int shard = 1, shards = 1;  ///< the points whose number is shard - 1 modulo shards
  /// Is called after every run, from one thread at a time.
  std::function<void(const SweepProgress&)> progress = [](const SweepProgress&) {};
  const std::atomic<bool>* stop = nullptr;  ///< begin no further run once it is true

  using Simulate = std::function<SweepRun(const StudyPoint&)>;
  using Keep = std::function<void(const SweepRun&)>;
  /// Simulates all points, each once, and keeps what comes of them, from any thread; where it is
  /// empty, on threads of this process.
  std::function<void(std::span<const StudyPoint* const>, const Simulate&, const Keep&)> spread = {};
};

/// Runs what the store does not have yet and adds it as soon as it is done. A combination that
/// cannot be is kept with its reason. Throws the InputError of a point that is wrong in itself.
void sweep(const Study& study, const config::Catalogue& catalogue, const SweepOptions& options,
           SweepStore& store);

}  // namespace pipewright
