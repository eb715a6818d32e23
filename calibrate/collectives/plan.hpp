// Plans which ranks run which collectives with how many bytes.
#pragma once

#include <string>
#include <vector>

#include "calibrate/collectives/operation.hpp"

namespace pipewright::calibration {

struct RankGroup {
  std::vector<int> members;
  int hosts = 1;
};

/// Returns the groups to measure: the first host's ranks 2, 4, 8, ... and all; all ranks of 2, 4,
/// 8, ... and all hosts; and one rank of each host, which have a NIC to themselves ("a rail").
/// `hosts`: by rank.
std::vector<RankGroup> groups_of(const std::vector<std::string>& hosts);

/// Bytes from the least to the most, each `factor` times the one before, the most among them.
std::vector<int64_t> sizes_of(int64_t least, int64_t most, int factor);

}  // namespace pipewright::calibration
