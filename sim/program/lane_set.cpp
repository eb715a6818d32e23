#include "program/lane_set.hpp"

#include <algorithm>

namespace pipewright {
namespace {

bool has_copies_of_shards(const Grid& grid) {
  return std::ranges::any_of(grid.meshes, [](const Mesh& mesh) {
    return mesh.shard > 0 && mesh.shard < mesh.site_replicas();
  });
}

bool uses_host(const LoweringInput& input) {
  const auto steps_there = [](const UpdateWork& update) { return !update.on_host.empty(); };
  return !input.offloaded.stages.empty() || std::ranges::any_of(input.updates, steps_there);
}

}  // namespace

LaneSet::LaneSet(const LoweringInput& input) {
  add({Stream::compute, Stream::tensor, Stream::data});
  if (input.schedule.parallel_passes) add({Stream::backward, Stream::backward_tensor});
  if (has_copies_of_shards(input.grid)) add({Stream::copies});
  if (uses_host(input))
    add({Stream::leave, Stream::fetch, Stream::to_host, Stream::from_host, Stream::host});
}

void LaneSet::add(std::initializer_list<Stream> streams) {
  for (const Stream stream : streams) {
    place_[static_cast<size_t>(stream)] = static_cast<uint32_t>(streams_.size());
    streams_.push_back(stream);
  }
}

}  // namespace pipewright
