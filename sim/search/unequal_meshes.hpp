// Pipelines whose stages run on meshes of unlike shapes: Alpa's inter-operator dynamic program.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace pipewright::search {

struct Mesh {
  int rows = 1, columns = 1;
  int devices() const { return rows * columns; }
  bool operator==(const Mesh&) const = default;
};

/// Alpa's choice: 1 x 2^k inside a node of `columns` devices, and n whole nodes of `rows`; such
/// meshes can always be laid side by side.
std::vector<Mesh> submeshes(int rows, int columns);

/// The problem. Times of a micro-batch in seconds, forward and backward; infinite for what cannot
/// be.
struct MeshProblem {
  int links = 1, devices = 1;
  int micro_batches = 1;
  std::vector<int> mesh_devices;  ///< of every mesh that a stage may take
  std::function<double(int first, int last, size_t mesh)> stage_s;
  /// The time of what link `last` sends, from its stage's mesh to the next stage's.
  std::function<double(int last, size_t from, size_t to)> reshard_s;
};

struct MeshStage {
  int first = 0, last = 0;
  size_t mesh = 0;
};

struct MeshPlan {
  double seconds = 0;  ///< of an iteration; infinite where there is no plan
  std::vector<MeshStage> stages;
};

/// Uses every device. Needs a link.
MeshPlan unequal_meshes(const MeshProblem& problem);

/// The first device of each mesh, row by row: in the first node that has room at a multiple of its
/// size, or on the first whole nodes in a row. Empty where there is no such room.
std::optional<std::vector<int>> first_devices(const std::vector<Mesh>& meshes, int devices,
                                              int devices_per_node);

}  // namespace pipewright::search
