#include "experiment/place_of_degrees.hpp"

namespace pipewright {

const config::Value& place_of_degrees(const Experiment& experiment) {
  return experiment.at(experiment.gives("parallel") ? "parallel" : "model");
}

}  // namespace pipewright
