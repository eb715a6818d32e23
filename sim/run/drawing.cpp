#include "run/drawing.hpp"

#include "run/cluster_layout.hpp"
#include "run/execute.hpp"
#include "run/link_use.hpp"
#include "run/pass_kernels.hpp"
#include "run/shared_links.hpp"

namespace pipewright {
namespace {

LinkBytes bytes_of(const Prepared& prepared, const Run& run) {
  if (prepared.links.shared)
    if (std::optional<LinkBytes> bytes = execute(prepared).bytes) return *bytes;
  return bytes_by_link(run.program, prepared.prices, mirror_of(prepared.grid, prepared.folding),
                       *counted_links(prepared, prepared.folding));
}

}  // namespace

Drawn drawing_of(const Prepared& prepared, const Run& run) {
  Drawn drawn{.kernels = pass_kernels(prepared, run.program), .cluster = {}};
  if (prepared.links.topology)
    drawn.cluster = cluster_layout(*prepared.links.topology, bytes_of(prepared, run),
                                   run.result.metrics.makespan);
  return drawn;
}

}  // namespace pipewright
