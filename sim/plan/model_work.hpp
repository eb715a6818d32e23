// The work of a job's devices for its model, before anything is scheduled.
#pragma once

#include <string>
#include <vector>

#include "program/lower.hpp"
#include "result/memory_use.hpp"

namespace pipewright {

/// A layer as the accounts name it.
struct NamedLayer {
  std::string name;
  int stage = 0;
  double parameters = 0;  ///< of the whole layer
  Bytes activation;       ///< kept by one device for one micro-batch
};

/// A model cut into the stages of a schedule.
struct ModelWork {
  std::vector<StageWork> stages;              ///< by stage * slices + slice
  std::vector<UpdateWork> updates;            ///< by stage; empty for synthetic models
  std::vector<std::vector<OuterWork>> outer;  ///< by fragment and stage; empty: no outer steps
  ShardedWeights sharded;
  OffloadedState offloaded;
  bool pairs_beside = false;  ///< see LoweringInput
  TiedEmbedding tied_embedding;
  std::vector<MemoryUse> static_memory;  ///< by pipeline rank
  std::vector<int> layers;               ///< by stage; empty for synthetic models
  std::vector<NamedLayer> named_layers;  ///< in the order of the model
  double model_flops = 0;                ///< of one iteration, all devices, no recomputation
  double hardware_flops = 0;             ///< with it
  double tokens = 0;                     ///< of one iteration; 0 where the model has none
  double samples = 0;
  double checkpoint_bytes = 0;  ///< weights and optimizer state, once
  /// Every replica holds all of its state, so that any of them can give it to another.
  bool replicas_hold_all = true;
};

struct StagedModel;

/// Returns the work of `model` under `schedule`, which has as many stages.
ModelWork model_work(const StagedModel& model, const schedule::Schedule& schedule);

}  // namespace pipewright
