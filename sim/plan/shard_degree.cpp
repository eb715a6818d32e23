// How many replicas weights are cut over. With copies of them (hybrid sharding, FSDP2's
// `replicate`) every group of replicas that share the weights has all experts.
#include <fmt/format.h>

#include <algorithm>

#include "plan/data_parallel.hpp"
#include "plan/nearest_divisors.hpp"

namespace pipewright {
namespace {

/// Returns how many groups of replicas hold all weights, by `parallel.replicate`.
int copies_of(const Experiment& e, const Mesh& mesh) {
  const int copies = std::max(e.parallel.replicate, 1), replicas = mesh.site_replicas();
  const int groups = replicas / mesh.context;
  if (groups % copies != 0)
    e.misfit("parallel.replicate", fmt::format("replicate {} must divide data = {}{}", copies,
                                               groups, mesh.sites > 1 ? " of a site" : ""));
  if (copies == replicas)
    e.misfit("parallel.replicate",
             fmt::format("replicate {} leaves no replicas to cut weights over: zero: 0 has whole "
                         "copies",
                         copies));
  return copies;
}

/// Experts are spread within a group that holds all weights.
void require_whole_experts(const Experiment& e, const Mesh& mesh, int shard) {
  const int sharers = shard * mesh.tensor;
  if (sharers % mesh.expert == 0) return;
  e.misfit("parallel.expert",
           fmt::format("expert{} {} must divide tensor x shard = {}: copies of the weights have "
                       "all experts",
                       mesh.expert_tensor > 1 ? " x expert_tensor" : "", mesh.expert, sharers));
}

}  // namespace

int shard_degree(const Experiment& e, const Mesh& mesh) {
  const int replicas = mesh.site_replicas();
  if (e.parallel.zero < 3 || replicas == 1) return 0;
  const int shard = e.parallel.shard > 0 ? e.parallel.shard : replicas / copies_of(e, mesh);
  if (shard < replicas) require_whole_experts(e, mesh, shard);
  if (replicas % shard == 0 && shard % mesh.context == 0) return shard;
  e.misfit(
      "parallel",
      fmt::format("shard {} must divide data x context = {}{} and be a multiple of context {}{}",
                  shard, replicas, mesh.sites > 1 ? " of a site" : "", mesh.context,
                  nearest_divisors(shard, replicas, mesh.context)));
}

}  // namespace pipewright
