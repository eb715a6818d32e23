// How many devices a Megatron-LM command line is for, and how they share the work.
#pragma once

#include "convert/megatron_flags.hpp"

namespace pipewright {

struct MegatronDegrees {
  int64_t tensor = 1, pipeline = 1, context = 1, data = 1;
  int64_t world = 1;  ///< all devices
  int64_t layers = 0;
};

/// Appends to `assumed` what the command line leaves open.
MegatronDegrees megatron_degrees(MegatronFlags& flags, std::vector<std::string>& assumed);

}  // namespace pipewright
