// A model as a list of layers with measured times, which other tools' profiles become.
#pragma once

#include <string>
#include <vector>

#include "config/value.hpp"

namespace pipewright::convert {

struct TimedLayer {
  std::string name;
  double forward_ms = 0, backward_ms = 0;
  double activation_bytes = -1, output_bytes = -1;  ///< below 0: not known
  double parameters = -1;                           ///< below 0: not known
};

/// The map that a model file holds.
config::Value layered_model(const std::string& description, const std::vector<TimedLayer>& layers);

/// Reads the profiles of a job's ranks, files and folders, and returns a model file of the layers
/// that their kernels show. Throws InputError where they show none.
std::string model_of_profiles(const std::vector<std::string>& files);

}  // namespace pipewright::convert
