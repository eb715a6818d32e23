#include "convert/torchtitan/batch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright::torchtitan {

Batch read_batch(job::Settings& settings) {
  return {settings.integer({"training.local_batch_size", "training.batch_size"}, 8),
          settings.integer({"training.seq_len"}, 2048)};
}

int64_t read_global_batch(job::Settings& settings, const Batch& batch, const Degrees& degrees,
                          const Pipeline& pipeline) {
  const int64_t replicas = degrees.data();
  const int64_t global = settings.integer({"training.global_batch_size"}, -1, -1);
  const int64_t at_once = batch.at_once * replicas;
  if (global > 0 && global % at_once != 0)
    throw InputError(settings.where("training.global_batch_size"),
                     fmt::format("{} is not a multiple of {} replicas' batches of {}", global,
                                 replicas, batch.at_once));
  if (global > at_once && pipeline.ranks > 1)
    settings.refuse("training.global_batch_size",
                    "several batches, each with a pipeline of its own, are not modelled");
  return pipeline.ranks > 1 || global <= 0 ? at_once : global;
}

double read_tokens(job::Settings& settings, int64_t sequence, int64_t global) {
  constexpr int64_t most_steps = 1'000'000'000;
  const int64_t steps = std::min(settings.integer({"training.steps"}, 10'000), most_steps);
  return static_cast<double>(steps) * static_cast<double>(global) * static_cast<double>(sequence);
}

}  // namespace pipewright::torchtitan
