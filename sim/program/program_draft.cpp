#include "program/program_draft.hpp"

#include <algorithm>

namespace pipewright {
namespace {

uint32_t widest_of(const std::vector<SimulatedMesh>& meshes) {
  uint32_t widest = 0;
  for (const SimulatedMesh& mesh : meshes) widest = std::max(widest, mesh.width());
  return widest;
}

}  // namespace

ProgramDraft::ProgramDraft(const LoweringInput& input)
    : in(input),
      schedule(input.schedule),
      meshes(simulated_meshes(input)),
      widest(widest_of(meshes)),
      lanes(input),
      types(input, builder.program),
      ends(input.schedule, widest) {
  add_ranks();
}

void ProgramDraft::add_ranks() {
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    const Mesh& mesh = in.grid.mesh(rank);
    const auto& [tensor, replicas, first] = meshes[static_cast<size_t>(rank)];
    for (const ReplicaClass& replica : replicas) {
      for (int t = 0; t < tensor; ++t) {
        const auto id = static_cast<uint32_t>(builder.program.ranks.size());
        builder.program.ranks.push_back({rank, t, replica.replica, mesh.device(t, replica.replica),
                                         replica.count * mesh.tensor / tensor});
        for (const Stream stream : lanes.streams()) builder.add_lane(id, stream);
      }
    }
  }
}

}  // namespace pipewright
