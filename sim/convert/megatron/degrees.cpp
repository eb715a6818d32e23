#include "convert/megatron/degrees.hpp"

#include <fmt/format.h>

#include <numeric>

namespace pipewright::megatron {
namespace {

constexpr int64_t most_devices = 1'048'576;

/// How experts are cut, as dense layers are unless something else is said.
struct ExpertDegrees {
  int64_t expert = 1, tensor = 1, pipeline = 1;

  /// Returns the devices that whole groups of experts take (core/parallel_state.py).
  int64_t devices() const { return expert * tensor * pipeline; }
};

ExpertDegrees expert_degrees(Flags& flags, const Degrees& d) {
  const ExpertDegrees e{.expert = flags.number("expert-model-parallel-size", 1),
                        .tensor = flags.number("expert-tensor-parallel-size", d.tensor),
                        .pipeline = d.pipeline};
  if (e.expert > most_devices || e.tensor > most_devices ||
      e.tensor * e.expert > most_devices / d.pipeline)
    flags.fail("expert-model-parallel-size", "and its like ask for more than a million devices");
  return e;
}

/// Tells what the user can define where the devices are no multiple of `whole`; empty where the
/// user has said how many there are.
std::string remedy(const job::Devices& devices, const Degrees& d, int64_t whole, bool is_document) {
  if (devices.all) return {};
  if (!devices.nodes)
    return "; nothing here says how many nodes: --define NGPU=N says how many devices";
  const int64_t least = std::lcm(whole, d.per_node);
  if (!devices.nodes_variable.empty())
    return fmt::format("; --define {}={} makes them {}", devices.nodes_variable, least / d.per_node,
                       least);
  return is_document ? "" : fmt::format("; --define NGPU={} says otherwise", least);
}

void check_experts(Flags& flags, const Degrees& d, const std::string& hint) {
  const ExpertDegrees e = expert_degrees(flags, d);
  if (d.world % e.devices() != 0)
    throw InputError(flags.where("expert-model-parallel-size"),
                     fmt::format("expert {} x expert tensor {} x pipeline {} takes {} devices, "
                                 "which does not divide the {} devices there are{}",
                                 e.expert, e.tensor, e.pipeline, e.devices(), d.world, hint));
}

/// Returns how many devices a job is taken to have that does not say it: whole nodes, or fewer
/// where its batch is too small for those.
int64_t assumed_world(Flags& flags, const Degrees& d, int64_t model) {
  const int64_t whole = std::lcm(model, expert_degrees(flags, d).devices());
  int64_t world = std::lcm(whole, d.per_node);
  if (!flags.has("global-batch-size") || !flags.has("micro-batch-size")) return world;
  const int64_t global = flags.number("global-batch-size", 1);
  const int64_t micro = flags.number("micro-batch-size", 1);
  const auto fits = [&](int64_t devices) { return global % (micro * (devices / model)) == 0; };
  if (fits(world) || global % micro != 0) return world;
  int64_t fewer = world - whole;
  const auto is_cluster = [&](int64_t devices) {
    return devices <= d.per_node || devices % d.per_node == 0;
  };
  while (fewer > 0 && (!fits(fewer) || !is_cluster(fewer))) fewer -= whole;
  return fewer > 0 ? fewer : world;
}

}  // namespace

Degrees read_degrees(Flags& flags, const job::Devices& devices) {
  Degrees d;
  const char* tensor =
      flags.has("model-parallel-size") ? "model-parallel-size" : "tensor-model-parallel-size";
  d.tensor = flags.number(tensor, 1);
  d.pipeline = flags.number("pipeline-model-parallel-size", 1);
  d.context = flags.number("context-parallel-size", 1);
  const int64_t model = d.tensor * d.pipeline * d.context;
  if (d.tensor > most_devices || d.pipeline > most_devices || d.context > most_devices ||
      model > most_devices)
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
    d.world = assumed_world(flags, d, model);
    assumed.push_back(fmt::format("nothing says how many devices there are: {}{}", d.world,
                                  d.world % d.per_node == 0 ? ", in whole nodes" : ""));
    d.per_node = std::min(d.per_node, d.world);
  } else if (!devices.nodes && !devices.all) {
    assumed.push_back("nothing says how many nodes there are: one");
  } else if (!devices.per_node && !devices.all) {
    assumed.push_back("nothing says how many devices a node has: 8");
  }
  if (d.world % model != 0)
    throw InputError(flags.where(tensor),
                     fmt::format("tensor {} x pipeline {} x context {} does not divide the {} "
                                 "devices there are{}",
                                 d.tensor, d.pipeline, d.context, d.world,
                                 remedy(devices, d, model, flags.is_document())));
  check_experts(flags, d,
                remedy(devices, d, expert_degrees(flags, d).devices(), flags.is_document()));
  d.data = d.world / model;
  return d;
}

}  // namespace pipewright::megatron
