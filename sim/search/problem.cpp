#include "search/problem.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "experiment/experiment.hpp"
#include "experiment/named_modules.hpp"
#include "experiment/schedule_name.hpp"
#include "search/pools.hpp"
#include "topology/cluster/cluster.hpp"
#include "workload/model/model.hpp"

namespace pipewright::search {
namespace {

using config::Value;

/// The keys that a plan decides anew.
constexpr std::string_view decided[] = {"tensor", "pipeline", "data", "virtual", "zero", "sbp"};

/// The keys on how weights that are cut over replicas are exchanged.
constexpr std::string_view of_cut_weights[] = {"reshard", "prefetch", "gathered", "secondary",
                                               "scattered"};

bool is_one_of(std::span<const std::string_view> keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

/// Sets the degree, and leaves alone how keys and values are exchanged.
void set_context(int degree, Value& parallel) {
  Value* given = parallel.find("context");
  if (given && given->is_map())
    given->set("degree", config::number(degree));
  else
    parallel.set("context", config::number(degree));
}

int degree_in(const Value& parallel, const char* key) {
  const Value* value = parallel.find(key);
  if (value && value->is_map()) value = value->find("degree");
  return value ? static_cast<int>(config::as_int(*value, 0, 1 << 20)) : 1;
}

/// Tells whether weights that a candidate cuts over replicas can be cut over groups of them as the
/// experiment says.
bool cuts_over_groups(const Value& parallel, const Candidate& c) {
  if (c.zero < 3 || c.sbp || !c.stages.empty()) return false;
  const int context = c.context > 0 ? c.context : degree_in(parallel, "context");
  if (parallel.find("shard")) {
    const int shard = degree_in(parallel, "shard");
    return shard > 0 && c.data * context % shard == 0 && shard % context == 0;
  }
  const int copies = std::max(degree_in(parallel, "replicate"), 1);
  return c.data % copies == 0 && copies < c.data * context;
}

Value parallel_of(const Problem& problem, const Candidate& c) {
  Value parallel;
  if (const Value* given = problem.experiment.find("parallel")) parallel = *given;
  const bool groups = cuts_over_groups(parallel, c);
  std::erase_if(parallel.entries, [&](const config::Entry& entry) {
    if (entry.key == "shard" || entry.key == "replicate") return !groups;
    if (is_one_of(of_cut_weights, entry.key)) return c.zero < 3;
    return is_one_of(decided, entry.key);
  });
  if (c.sbp) {
    std::erase_if(parallel.entries, [](const config::Entry& entry) {
      return entry.key == "tensor_kind" || entry.key == "sequence";
    });
    parallel.set("sbp", *c.sbp);
    return parallel;
  }
  if (c.stages.empty()) {
    parallel.set("tensor", config::number(c.tensor));
    parallel.set("data", config::number(c.data));
  }
  parallel.set("pipeline", config::number(c.pipeline));
  if (c.zero > 0) parallel.set("zero", config::number(c.zero));
  if (c.context > 0) set_context(c.context, parallel);
  if (c.expert > 0) parallel.set("expert", config::number(c.expert));
  const bool cuts = c.tensor > 1 || std::ranges::any_of(c.stages, [](const StageChoice& stage) {
                      return stage.tensor > 1;
                    });
  if (cuts && !parallel.find("sequence")) parallel.set("sequence", config::scalar("true"));
  return parallel;
}

template <class T>
Value list_of(const std::vector<T>& numbers) {
  Value list;
  list.kind = Value::Kind::list;
  for (const T number : numbers) list.items.push_back(config::number(number));
  return list;
}

Value partition_of(const Candidate& c) {
  return c.layers.empty() ? config::scalar(c.split == Split::even ? "even" : "balanced")
                          : list_of(c.layers);
}

std::string range(int first, int count) { return fmt::format("{}-{}", first, first + count - 1); }

/// Returns the devices of a stage in the cluster. Throws Misfit where they do not follow each
/// other.
std::string devices_text(const Problem& problem, const StageChoice& stage) {
  const int count = stage.tensor * stage.data;
  const int32_t first = number_in_cluster(problem, stage.first_device);
  for (int k = 0; k < count; ++k)
    if (number_in_cluster(problem, stage.first_device + k) != first + k)
      throw Misfit("the devices of a stage do not follow each other");
  return range(first, count);
}

Value strategy_of(const Problem& problem, const Candidate& c) {
  Value list;
  list.kind = Value::Kind::list;
  int layer = 0;
  for (const StageChoice& stage : c.stages) {
    Value& entry = list.items.emplace_back();
    entry.set("layers", config::scalar(range(layer, stage.layers)));
    entry.set("devices", config::scalar(devices_text(problem, stage)));
    entry.set("tensor", config::number(stage.tensor));
    entry.set("data", config::number(stage.data));
    layer += stage.layers;
  }
  return list;
}

/// Returns how many devices a candidate without stages of their own takes.
int devices_used(const Problem& problem, const Candidate& c) {
  if (c.sbp) {
    int all = 1;
    for (const Value& side : c.sbp->find("grid")->items)
      all *= static_cast<int>(config::as_int(side, 1, 1 << 20));
    return all;
  }
  const Value* context = problem.experiment.find("parallel");
  if (context) context = context->find("context");
  if (context && context->is_map()) context = context->find("degree");
  const int given = context ? static_cast<int>(config::as_int(*context, 1, 1 << 20)) : 1;
  return c.tensor * c.pipeline * c.data * (c.context > 0 ? c.context : given);
}

/// Returns the devices in the order of ranks; empty where they are the cluster's first, in order.
std::vector<int32_t> devices_of(const Problem& problem, const Candidate& c) {
  std::vector<int32_t> devices = c.placement;
  if (problem.pool.empty()) return devices;
  if (devices.empty()) {
    devices.resize(static_cast<size_t>(devices_used(problem, c)));
    std::iota(devices.begin(), devices.end(), 0);
  }
  bool in_order = true;
  for (size_t k = 0; k < devices.size(); ++k) {
    devices[k] = problem.pool[static_cast<size_t>(devices[k])];
    in_order = in_order && devices[k] == static_cast<int32_t>(k);
  }
  return in_order ? std::vector<int32_t>{} : devices;
}

/// Stages that are not alike say all of it themselves.
void set_stages(const Problem& problem, const Candidate& c, Value& experiment) {
  const bool keeps_partition = pinned(problem, "partition") && c.stages.empty();
  const bool keeps_placement = pinned(problem, "placement") && c.stages.empty();
  std::erase_if(experiment.entries, [&](const config::Entry& e) {
    return e.key == "strategy" || (e.key == "placement" && !keeps_placement) ||
           (e.key == "partition" && !keeps_partition);
  });
  if (!c.stages.empty()) {
    experiment.set("strategy", strategy_of(problem, c));
    return;
  }
  if (!keeps_partition) experiment.set("partition", partition_of(c));
  if (keeps_placement) return;
  const std::vector<int32_t> devices = devices_of(problem, c);
  if (!devices.empty()) experiment.set("placement", list_of(devices));
}

Value recompute_of(const Candidate& c) {
  if (c.recomputed == 0) return config::parse(c.recompute, "a planner");
  Value some;
  some.set("layers", config::number(c.recomputed));
  return some;
}

/// "selective", "core_attn+layernorm".
std::string recompute_text(const std::string& recompute) {
  const Value value = config::parse(recompute, "a planner");
  const Value* modules = value.is_map() ? value.find("modules") : nullptr;
  if (!modules) return recompute;
  std::string text;
  for (const Value& module : modules->items) text += (text.empty() ? "" : "+") + module.text;
  return text;
}

/// "sbp 4 x 2".
std::string sbp_text(const Value& sbp) {
  std::string text;
  for (const Value& side : sbp.find("grid")->items)
    text += fmt::format("{}{}", text.empty() ? "sbp " : " x ", side.text);
  return text;
}

/// Counts the devices that a plan may use, of what kinds they are, and how many of each node.
void count_devices(const Problem& problem, const Cluster& cluster, Given& given) {
  std::vector<int32_t> pool = problem.pool;
  if (pool.empty()) {
    pool.resize(static_cast<size_t>(cluster.devices()));
    std::iota(pool.begin(), pool.end(), 0);
  }
  given.devices = static_cast<int>(pool.size());
  std::map<int, int> of_node;
  std::set<int> kinds;
  for (const int32_t device : pool) {
    ++of_node[cluster.node_of[static_cast<size_t>(device)]];
    if (!cluster.type_of.empty()) kinds.insert(cluster.type_of[static_cast<size_t>(device)]);
  }
  given.alike = kinds.size() < 2;
  given.nodes = static_cast<int>(of_node.size());
  given.devices_per_node = 0;
  for (const auto& [node, devices] : of_node)
    given.devices_per_node = std::gcd(given.devices_per_node, devices);
  if (const Device* device = cluster.device(pool.front()))
    given.fpga = device->kind == DeviceKind::fpga;
  if (cluster.nodes.front().type != "device") return;
  given.nodes = 1;
  given.devices_per_node = given.devices;
}

/// The attention core and what Megatron-Core recomputes without keeping its output (its
/// transformer_config.py on recompute_modules): products, of which most of the time is, are none of
/// them but for latent attention's.
constexpr const char* cheap_modules[] = {"core_attn", "moe_act", "layernorm", "mla_up_proj"};

}  // namespace

Given given_by(const Problem& problem) {
  const Experiment experiment = read_experiment(resolve(problem.experiment, problem.catalogue));
  if (!experiment.has_schedule() || experiment.synthetic)
    throw InputError("plan needs an experiment with a real model");
  if (experiment.batch.global == 0) {
    experiment.fail(
        "", "plan needs batch.global: the work of an iteration must not depend on the plan");
  }
  const Cluster cluster = read_cluster(experiment.at("cluster"), problem.catalogue);
  const Model& model = experiment.model_or_fail();
  Given given;
  count_devices(problem, cluster, given);
  given.global = experiment.batch.global;
  given.context = experiment.parallel.context;
  if (model.has_tokens())
    given.sequence =
        experiment.batch.sequence > 0 ? experiment.batch.sequence : model.sequence.value_or(0);
  given.transformer = !model.cnn && !model.recurrent;
  if (given.transformer) {
    given.blocks = static_cast<int>(model.transformer.layers);
    given.heads = model.transformer.common_heads();
    if (model.transformer.experts) given.experts = model.transformer.experts->count;
    for (const char* module : cheap_modules)
      if (has_module(model.transformer, module)) given.cheap_modules.emplace_back(module);
  }
  const auto keeps_weights = [](const Device& device) { return device.fpga.on_chip > Bytes{}; };
  given.by_layers =
      cluster.speeds.empty() && std::ranges::none_of(cluster.device_types, keeps_weights);
  given.whole_sequences = !experiment.batch.lengths;
  return given;
}

Split split_of(const Problem& problem, Split usual) {
  const Value* partition = pinned(problem, "partition");
  if (!partition) return usual;
  if (partition->kind != Value::Kind::scalar) return Split::pinned;
  return partition->text == "balanced" ? Split::balanced : Split::even;
}

namespace {

/// Returns how layers are split into stages; empty where evenly.
std::string split_text(const Candidate& c) {
  if (!c.layers.empty()) return fmt::format("layers {}", fmt::join(c.layers, "+"));
  if (c.split == Split::even) return {};
  return c.split == Split::balanced ? "balanced" : "layers as pinned";
}

}  // namespace

std::string Candidate::label() const {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (sbp) add(sbp_text(*sbp));
  if (tensor > 1 && !sbp) add(fmt::format("tensor {}", tensor));
  if (pipeline > 1) add(fmt::format("pipeline {}", pipeline));
  for (const StageChoice& stage : stages)
    add(fmt::format("{} layers on {}x{}", stage.layers, stage.data, stage.tensor));
  if (stages.empty() && !sbp) add(fmt::format("data {}", data));
  add(fmt::format("micro {}", micro));
  if (recomputed == 0 && !recompute.empty() && recompute != "none")
    add("recompute " + recompute_text(recompute));
  if (zero > 0) add(fmt::format("zero {}", zero));
  if (context > 1) add(fmt::format("context {}", context));
  if (expert > 1) add(fmt::format("expert {}", expert));
  if (recomputed > 0) add(fmt::format("recompute {} layers a stage", recomputed));
  if (const std::string said = split_text(*this); !said.empty()) add(said);
  if (!placement.empty()) add("own placement");
  add(schedule_name(schedule));
  for (const std::string& setting : settings)
    add(setting.substr(0, setting.find('=')) + " " + setting.substr(setting.find('=') + 1));
  return text;
}

Value experiment_of(const Problem& problem, const Candidate& c) {
  Value experiment = problem.experiment;
  experiment.set("parallel", parallel_of(problem, c));
  Value* batch = experiment.find("batch");
  batch->set("micro", config::number(c.micro));
  experiment.set("schedule", c.schedule);
  if (!c.recompute.empty() || c.recomputed > 0) experiment.set("recompute", recompute_of(c));
  set_stages(problem, c, experiment);
  for (const std::string& setting : c.settings) config::set_path(experiment, setting);
  return experiment;
}

}  // namespace pipewright::search
