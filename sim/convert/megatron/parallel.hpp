// The parallelism of a Megatron-LM command line: degrees, virtual stages, uneven partitions.
#pragma once

#include <vector>

#include "config/value.hpp"
#include "convert/megatron/degrees.hpp"

namespace pipewright::megatron {

struct Parallelism {
  config::Value parallel;      ///< as an experiment has it
  std::vector<int> partition;  ///< layers of each stage; empty where all have as many
  std::string layout;          ///< in place of it, where predictions stand apart from the loss
  int64_t virtual_stages = 1;  ///< stages of each pipeline rank
};

Parallelism read_parallel(Flags& flags, const Degrees& degrees);

/// Returns the stage of ZeRO that the command line asks for.
int read_zero(Flags& flags);

}  // namespace pipewright::megatron
