#include "plan/model_on_grid.hpp"

#include "plan/data_parallel.hpp"
#include "plan/dispatch.hpp"
#include "plan/grid.hpp"
#include "plan/near_replicas.hpp"
#include "plan/outer_steps.hpp"
#include "plan/resharding_edges.hpp"
#include "plan/settled_sizes.hpp"

namespace pipewright {

ModelOnGrid model_on_grid(const Experiment& experiment, const Machine& machine) {
  ModelOnGrid job{.experiment = experiment,
                  .machine = machine,
                  .model = experiment.model_or_fail(),
                  .works = {},
                  .grid = {},
                  .prices = {},
                  .resharding_edges = {},
                  .whole_layers = {}};
  Experiment& e = job.experiment;
  job.micro_batches = settle_sizes(e, job.model, machine.device_count());
  settle_kernels(e, machine);
  job.works = mesh_works(e, job.model);
  job.grid = make_grid(e, machine.device_count());
  for (Mesh& mesh : job.grid.meshes) {
    mesh.sites = sites_of(e, mesh);
    mesh.shard = shard_degree(e, mesh);
    mesh.near = near_replicas(e, mesh, machine.topology());
  }
  settle_reduction(e, job.grid, job.model.has_tokens());
  settle_dispatch(e, job.model, job.grid, machine.topology(), job.works);
  job.prices = machine.prices(e);
  job.resharding_edges = add_resharding_edges(e, job.grid, machine, job.prices);
  if (!job.resharding_edges.empty()) job.whole_layers = whole_layers(e, job.model);
  return job;
}

}  // namespace pipewright
