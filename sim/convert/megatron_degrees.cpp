#include "convert/megatron_degrees.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright {

MegatronDegrees megatron_degrees(MegatronFlags& flags, std::vector<std::string>& assumed) {
  MegatronDegrees d;
  d.tensor = flags.number("tensor-model-parallel-size", 1);
  d.pipeline = flags.number("pipeline-model-parallel-size", 1);
  d.context = flags.number("context-parallel-size", 1);
  d.layers = flags.number("num-layers", 0);
  const int64_t model = d.tensor * d.pipeline * d.context;
  const int64_t nodes = flags.number("nnodes", 0, 0);
  d.world = flags.number("nproc-per-node", 8) * std::max<int64_t>(nodes, 1);
  if (nodes == 0) {
    d.world = (model + 7) / 8 * 8;
    assumed.push_back(
        fmt::format("nothing says how many devices there are: {}, in whole nodes", d.world));
  }
  if (d.world % model != 0) {
    flags.fail("num-layers", fmt::format("is of a model on tensor {} x pipeline {} x context {} "
                                         "devices, which do not divide the {} there are",
                                         d.tensor, d.pipeline, d.context, d.world));
  }
  d.data = d.world / model;
  return d;
}

}  // namespace pipewright
