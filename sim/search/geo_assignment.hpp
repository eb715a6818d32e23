// Assigns the devices of a far-flung cluster to the places in a grid of stages and replicas:
// DT-FM's genetic search.
#pragma once

#include <cstdint>
#include <vector>

namespace pipewright::search {

/// Messages between devices take latency + bytes / bandwidth.
struct GeoProblem {
  int stages = 1, replicas = 1;
  std::vector<double> latency_s, seconds_per_byte;  ///< by from * devices + to
  double gradient_bytes = 0;                        ///< of one stage
  double activation_bytes = 0;  ///< that a replica sends a stage on in an iteration
  int devices() const { return stages * replicas; }
};

struct GeoPlan {
  double seconds = 0;                    ///< of communication in an iteration
  std::vector<std::vector<int>> stages;  ///< in the order of the pipeline, by replica
};

/// Returns what it costs to make `groups` the stages, in the best order and with the best partners.
GeoPlan arranged(const GeoProblem& problem, const std::vector<std::vector<int>>& groups);

/// The same for the same seed.
GeoPlan geo_assignment(const GeoProblem& problem, uint64_t seed);

}  // namespace pipewright::search
