#include "convert/torchtitan/degrees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace pipewright::torchtitan {
namespace {

using config::number;
using config::scalar;
using config::Value;

constexpr int64_t most_ranks = 65'536, most_devices = 1 << 20, devices_of_a_node = 8;

int64_t degree(job::Settings& settings, const char* name) {
  return settings.integer({fmt::format("parallelism.{}_parallel_degree", name),
                           fmt::format("experimental.{}_parallel_degree", name),
                           fmt::format("training.{}_parallel_degree", name)},
                          1);
}

/// Returns how many shards the job says, -1 for as many as there are devices.
int64_t said_shards(job::Settings& settings) {
  const int64_t shards =
      settings.integer({"parallelism.data_parallel_shard_degree",
                        "training.data_parallel_shard_degree", "training.data_parallel_degree"},
                       -1, -1);
  if (shards == 0)
    throw InputError(settings.where("parallelism.data_parallel_shard_degree"),
                     "a degree of 0 is none: it is -1, or from 1 on");
  return shards;
}

/// Returns the devices of the job, which are not in its file. `others` are those of a shard.
int64_t devices(job::Settings& settings, int64_t others, int64_t shards) {
  int64_t world = others * std::max<int64_t>(shards, 1);
  if (const auto given = job::given_devices(settings.source())) {
    world = *given;
  } else if (shards < 0) {
    world = std::lcm(others, devices_of_a_node);
    // Shards of one device cut nothing.
    if (world == others) world *= 2;
    settings.import().devices_assumed = true;
    settings.import().assumed.push_back(
        fmt::format("the job has {} devices, in whole nodes: --define NGPU=N says it", world));
  }
  if (world % others != 0 || (shards > 0 && world != others * shards))
    throw InputError(settings.where("parallelism"),
                     fmt::format("the degrees make {} devices a replica's shard, and there are {}",
                                 others * std::max<int64_t>(shards, 1), world));
  return world;
}

void write_context(job::Settings& settings, int64_t degree, Value& parallel) {
  const std::string rotate = settings.text(
      {"parallelism.context_parallel_rotate_method", "experimental.context_parallel_rotate_method"},
      "allgather");
  if (degree > 1 && rotate == "allgather") {
    Value& context = parallel.set("context", {});
    context.set("degree", number(degree));
    context.set("exchange", scalar("all-gather"));
  } else {
    parallel.set("context", number(degree));
  }
}

/// Weights are sharded over shards and context ranks, and copied over replicas.
void write_sharding(job::Settings& settings, const Degrees& degrees, Value& parallel) {
  const bool shards = degrees.shard * degrees.context > 1;
  const std::string reshard = settings.text(
      {"parallelism.fsdp_reshard_after_forward", "training.fsdp_reshard_after_forward"}, "default");
  parallel.set("zero", number(shards ? 3 : 0));
  if (!shards) return;
  if (degrees.replicate > 1) parallel.set("shard", number(degrees.shard * degrees.context));
  if (reshard == "always" || reshard == "never")
    parallel.set("reshard", job::truth(reshard == "always"));
}

}  // namespace

Degrees read_degrees(job::Settings& settings, const Pipeline& pipeline, bool has_experts) {
  Degrees out;
  // Of 2024: a degree of its own, which was the tensor degree.
  out.tensor = std::max(degree(settings, "tensor"),
                        settings.integer({"training.sequence_parallel_degree"}, 1));
  out.context = degree(settings, "context");
  const int64_t expert = settings.integer({"parallelism.expert_parallel_degree"}, 1);
  out.expert = has_experts ? expert : 1;
  out.replicate = settings.integer(
      {"parallelism.data_parallel_replicate_degree", "training.data_parallel_replicate_degree"}, 1);
  const int64_t shards = said_shards(settings);
  const int64_t others = out.tensor * out.context * pipeline.ranks * out.replicate;
  if (out.tensor > most_ranks || out.context > most_ranks || out.replicate > most_ranks ||
      shards > most_devices || others > most_devices)
    throw InputError(settings.where("parallelism"),
                     "the degrees ask for more than a million devices");
  out.world = devices(settings, others, shards);
  out.shard = out.world / others;
  return out;
}

config::Value read_parallel(job::Settings& settings, const Degrees& degrees,
                            const Pipeline& pipeline) {
  Value parallel;
  parallel.set("tensor", number(degrees.tensor));
  parallel.set("pipeline", number(pipeline.ranks));
  parallel.set("data", number(degrees.data()));
  // Other schedules say their stages themselves.
  if (pipeline.stages_of_a_rank > 1 &&
      (pipeline.schedule == "interleaved-1f1b" || pipeline.schedule == "interleaved-zb" ||
       pipeline.schedule == "looped-bfs"))
    parallel.set("virtual", number(pipeline.stages_of_a_rank));
  const bool splits = settings.truth({"parallelism.enable_sequence_parallel"}, true);
  if (degrees.tensor > 1) parallel.set("sequence", job::truth(splits));
  write_context(settings, degrees.context, parallel);
  const int64_t cut = settings.integer({"parallelism.expert_tensor_parallel_degree"}, 1);
  parallel.set("expert", number(degrees.expert));
  if (degrees.expert > 1 && cut > 1) parallel.set("expert_tensor", number(cut));
  write_sharding(settings, degrees, parallel);
  return parallel;
}

}  // namespace pipewright::torchtitan
