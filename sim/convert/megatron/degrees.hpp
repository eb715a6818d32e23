// How many devices a Megatron-LM command line is for, and how they share the work.
#pragma once

#include "convert/megatron/flags.hpp"
#include "convert/megatron/hybrid_pattern.hpp"

namespace pipewright::megatron {

struct Degrees {
  int64_t tensor = 1, pipeline = 1, context = 1, data = 1;
  int64_t world = 1;     ///< all devices
  int64_t per_node = 8;  ///< processes of a node
  int64_t layers = 0;
  std::optional<HybridPattern> hybrid = std::nullopt;  ///< the layers of a hybrid model
};

/// Reads the degrees; `devices` is what the launcher says. Notes what the job leaves open.
Degrees read_degrees(Flags& flags, const job::Devices& devices);

}  // namespace pipewright::megatron
