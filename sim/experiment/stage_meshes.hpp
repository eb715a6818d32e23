// `strategy`: stages that need not be alike, on meshes with devices and degrees of their own.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/value.hpp"
#include "network/resharding/plan.hpp"
#include "workload/tensor_grid.hpp"

namespace pipewright {

struct Experiment;
struct Layer;
struct Partition;

/// The layers of a stage, counted as `partition` counts them.
struct StageLayers {
  int first = 0, last = 0;
  int count() const { return last - first + 1; }
};

/// An entry: a mesh of devices, which is a pipeline rank, and the stages that it holds.
struct StageMesh {
  config::Value given;
  std::vector<StageLayers> stages;  ///< in model order
  int first_device = 0, devices = 1;
  int rows = 1, columns = 1;
  int tensor = 1, data = 1;
  TensorGrid tensor_grid;
  /// The layout of what it sends and receives on its rows and columns, by dimension: sequences,
  /// tokens, width. Empty where it lies as the degrees say.
  std::vector<resharding::Cut> activations;
};

struct StageMeshes {
  struct Stage {
    int rank = 0;
    StageLayers layers;
  };
  std::vector<StageMesh> ranks;  ///< empty: all stages are alike, as `parallel` says
  std::vector<Stage> stages;     ///< of all meshes, in model order
  resharding::Strategy resharding = resharding::Strategy::broadcast;

  bool empty() const { return ranks.empty(); }
  /// Tells whether stage k's output has to be resharded for the next.
  bool is_resharding_edge(int k) const;
  /// Tells whether any stage's output has to be.
  bool reshards() const;
  int most_data() const;
  /// Returns how many stages every mesh holds; none where meshes hold unlike numbers of them.
  std::optional<int> stages_of_a_rank() const;
};

/// Reads `strategy` and `resharding` of the experiment's document; `parallel` must have been read.
StageMeshes read_stage_meshes(const Experiment& experiment);

/// Throws InputError where something is resharded: it cannot be `done` ("replayed on a GPU")
/// by this version.
void refuse_resharding(const Experiment& experiment, std::string_view done);

/// Settles `parallel.data`: that of the stage that has most. Throws Misfit where an entry names
/// devices that are not there, or as many as expert groups do not divide.
void settle_meshes(Experiment& experiment, int devices);

/// The experiment as the mesh of `rank` alone would run it: with its degrees, and its part of a
/// micro-batch. `parallel.data` and `batch` must be known. Throws Misfit where the micro-batch does
/// not divide.
Experiment experiment_of_mesh(const Experiment& experiment, int rank);

}  // namespace pipewright
