// An experiment as something that can be trained live: its program, and a model with real numbers
// cut as the program's stages are.
#pragma once

#include "calibrate/train/reference/training.hpp"
#include "run/prepared.hpp"

namespace pipewright::live {

struct RealOptions {
  int steps = 0;             ///< iterations of the schedule; 0: the experiment's
  double learning_rate = 0;  ///< 0: the optimizer's default
  uint64_t seed = 1;
  bool allow_commands = false;
};

struct RealJob {
  Prepared prepared;
  Program program;  ///< every rank by itself
  train::StagedModel model;
  train::Training training;
};

/// Throws InputError where the experiment asks for what live training does not do: models other
/// than plain transformers, small convolutional networks and LSTMs, tensor parallelism other than
/// Megatron-LM's and a cube's, context and expert parallelism, sharded optimizers.
RealJob make_real_job(const config::Value& document, const config::Catalogue& catalogue,
                      const RealOptions& options);

}  // namespace pipewright::live
