// `strategy`: stages that need not be alike, each with layers, devices and degrees of its own.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/value.hpp"
#include "network/resharding/plan.hpp"
#include "workload/tensor_grid.hpp"

namespace pipewright {

struct Experiment;
struct Layer;
struct Partition;

/// An entry: one stage of the pipeline on one mesh of devices.
struct StageMesh {
  config::Value given;
  int first_layer = 0, last_layer = 0;  ///< counted as `partition` counts them
  int first_device = 0, devices = 1;
  int rows = 1, columns = 1;
  int tensor = 1, data = 1;
  TensorGrid tensor_grid;
  /// The layout of what it sends and receives on its rows and columns, by dimension: sequences,
  /// tokens, width. Empty where it lies as the degrees say.
  std::vector<resharding::Cut> activations;
};

struct StageMeshes {
  std::vector<StageMesh> stages;  ///< empty: all stages are alike, as `parallel` says
  resharding::Strategy resharding = resharding::Strategy::broadcast;

  /// Tells whether stage k's output has to be resharded for the next.
  bool is_resharding_edge(int k) const;
  int most_data() const;
};

/// Reads `strategy` and `resharding` of the experiment's document; `parallel` must have been read.
StageMeshes read_stage_meshes(const Experiment& experiment);

/// Throws InputError where something is resharded: it cannot be `done` ("exported") by this
/// version.
void refuse_resharding(const Experiment& experiment, std::string_view done);

/// Settles `parallel.data`: that of the stage that has most. Throws Misfit where an entry names
/// devices that are not there, or as many as expert groups do not divide.
void settle_meshes(Experiment& experiment, int devices);

/// The experiment as stage k alone would be run: with its degrees, and its part of a micro-batch.
/// `parallel.data` and `batch` must be known. Throws Misfit where the micro-batch does not divide.
Experiment experiment_of_stage(const Experiment& experiment, int k);

}  // namespace pipewright
