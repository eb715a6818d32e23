#include "plan/expert_pairs.hpp"

#include <algorithm>

#include "schedule/pairing.hpp"

namespace pipewright {
namespace {

/// Parts of passes that wait for weights or activations come in the order of one pass.
bool fetches_parts(const Experiment& e, const Grid& grid) {
  const auto shards = [](const Mesh& mesh) { return mesh.shard > 0; };
  return e.offload.from_passes() || std::ranges::any_of(grid.meshes, shards);
}

}  // namespace

void settle_expert_overlap(Experiment& e, const Grid& grid, const schedule::Schedule& schedule) {
  const bool exchanges =
      std::ranges::any_of(grid.meshes, [](const Mesh& mesh) { return mesh.expert > 1; });
  if (!e.overlap.expert) {
    const bool pairs = exchanges && schedule::has_pairs(schedule) && !fetches_parts(e, grid);
    e.overlap.expert = pairs ? ExpertOverlap::pairs : ExpertOverlap::none;
  }
  if (e.overlap.expert == ExpertOverlap::none) return;
  if (!exchanges)
    e.misfit("overlap",
             "overlap.expert: pairs hides exchanges between experts, and parallel.expert is 1");
  if (fetches_parts(e, grid))
    e.misfit("overlap",
             "overlap.expert: pairs needs whole weights and activations on the device, not zero: 3 "
             "or offload");
}

}  // namespace pipewright
