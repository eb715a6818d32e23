// The state that ranks hold when a live training run is over, and the whole that it makes.
#pragma once

#include <cstddef>
#include <vector>

#include "calibrate/train/reference/training.hpp"

namespace pipewright::live {

struct TrainedParts {
  struct Weights {
    int stage = 0, sharer = 0;
    std::vector<float> numbers;
  };
  struct Loss {
    size_t place = 0;  ///< by micro-batch, replica, slice and sharer
    float loss = 0;
  };
  std::vector<Weights> weights;
  std::vector<Loss> losses;
};

std::vector<std::byte> bytes_of(const TrainedParts& parts);
TrainedParts parts_of(const std::vector<std::byte>& bytes);

/// Throws Failure when copies of a stage have come apart.
train::Trained assemble(const train::StagedModel& model, const train::Training& training,
                        const std::vector<TrainedParts>& of_ranks);

}  // namespace pipewright::live
