#include "convert/megatron/degrees.hpp"

#include <fmt/format.h>

namespace pipewright::megatron {
Degrees read_degrees(Flags& flags, const job::Devices& devices) {
  Degrees d;
  const char* tensor =
      flags.has("model-parallel-size") ? "model-parallel-size" : "tensor-model-parallel-size";
  d.tensor = flags.number(tensor, 1);
  d.pipeline = flags.number("pipeline-model-parallel-size", 1);
  d.context = flags.number("context-parallel-size", 1);
  const int64_t model = d.tensor * d.pipeline * d.context;
  if (d.tensor > 1'048'576 || d.pipeline > 1'048'576 || d.context > 1'048'576 || model > 1'048'576)
    flags.fail(tensor, "and its like ask for more than a million devices");
  const job::World world = job::world_of(devices);
  d.world = world.devices;
  d.per_node = world.per_node;
  std::vector<std::string>& assumed = flags.import().assumed;
  const int64_t experts = flags.number("expert-model-parallel-size", 1);
  if (d.world == 0 && devices.one_process && model == 1 && experts == 1) {
    d.world = d.per_node = 1;
    assumed.push_back("the launcher starts one process, on one device");
  } else if (d.world == 0) {
    d.world = (model + 7) / 8 * 8;
    assumed.push_back(
        fmt::format("nothing says how many devices there are: {}, in whole nodes", d.world));
  } else if (!devices.nodes && !devices.all) {
    assumed.push_back("nothing says how many nodes there are: one");
  } else if (!devices.per_node && !devices.all) {
    assumed.push_back("nothing says how many devices a node has: 8");
  }
  if (d.world % model != 0)
    throw InputError(
        flags.where(tensor),
        fmt::format("tensor {} x pipeline {} x context {} does not divide the {} "
                    "devices there are{}",
                    d.tensor, d.pipeline, d.context, d.world,
                    devices.nodes || devices.all ? "" : "; nothing here says how many nodes"));
  d.data = d.world / model;
  return d;
}

}  // namespace pipewright::megatron
