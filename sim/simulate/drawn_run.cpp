#include "simulate/drawn_run.hpp"

#include "experiment/experiment.hpp"
#include "machine/machine.hpp"
#include "run/cluster_layout.hpp"
#include "run/drawing.hpp"
#include "run/link_use.hpp"
#include "run/prepare.hpp"

namespace pipewright {

Drawn drawn_run(const Run& run, const config::Catalogue& catalogue, RunOptions options) {
  options.stop = nullptr;  // whoever asked for the run may have gone
  const Experiment experiment = read_experiment(resolve(run.result.experiment, catalogue));
  if (experiment.has_schedule()) return drawing_of(prepare(experiment, catalogue, options), run);
  if (!experiment.trace) return {};
  const Machine machine = read_machine(experiment, catalogue);
  const Topology& topology = machine.topology();
  return {.kernels = {},
          .cluster = cluster_layout(topology, bytes_by_link(run.program, topology, {}),
                                    run.result.metrics.makespan)};
}

}  // namespace pipewright
