// Runs the points of a study, many at a time.
#pragma once

#include <atomic>
#include <functional>

#include "study/run.hpp"
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
  /// Called after every run, from one thread at a time.
  std::function<void(const SweepProgress&)> progress = [](const SweepProgress&) {};
  const std::atomic<bool>* stop = nullptr;  ///< begin no further run once it is true
};

/// Runs what the store does not have yet and adds it as soon as it is done. A combination that
/// cannot be is kept with its reason. Throws the InputError of a point that is wrong in itself.
void sweep(const Study& study, const config::Catalogue& catalogue, const SweepOptions& options,
           SweepStore& store);

}  // namespace pipewright
