#include "run/drawing.hpp"

#include <optional>
#include <utility>

#include "run/cluster_layout.hpp"
#include "run/link_use.hpp"
#include "run/pass_kernels.hpp"
#include "run/shared_links.hpp"

namespace pipewright {

std::function<Drawn(const Run&)> drawing_of(std::shared_ptr<const Prepared> prepared,
                                            const Executed& executed) {
  return [job = std::move(prepared), folding = executed.folding,
          bytes = executed.bytes](const Run& run) {
    Drawn drawn{.kernels = pass_kernels(*job, run.program), .cluster = {}};
    if (!job->links.topology) return drawn;
    drawn.cluster = cluster_layout(
        *job->links.topology,
        bytes ? *bytes
              : bytes_by_link(run.program, job->prices, mirror_of(job->grid, folding),
                              *laid_links(*job, folding)),
        run.result.metrics.makespan);
    return drawn;
  };
}

}  // namespace pipewright
