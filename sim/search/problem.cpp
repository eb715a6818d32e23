#include "search/problem.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "experiment/experiment.hpp"
#include "experiment/schedule_name.hpp"
#include "topology/cluster/cluster.hpp"
#include "workload/model/model.hpp"

namespace pipewright::search {
namespace {

using config::Value;

/// The keys that a plan decides anew.
constexpr std::string_view decided[] = {"tensor", "pipeline", "data", "virtual", "zero", "sbp"};

Value parallel_of(const Problem& problem, const Candidate& c) {
  Value parallel;
  if (const Value* given = problem.experiment.find("parallel")) parallel = *given;
  std::erase_if(parallel.entries, [](const config::Entry& entry) {
    return std::find(std::begin(decided), std::end(decided), entry.key) != std::end(decided);
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
  if (c.zero) parallel.set("zero", config::number(1));
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
  return c.layers.empty() ? config::scalar(c.balanced ? "balanced" : "even") : list_of(c.layers);
}

std::string range(int first, int count) { return fmt::format("{}-{}", first, first + count - 1); }

Value strategy_of(const Candidate& c) {
  Value list;
  list.kind = Value::Kind::list;
  int layer = 0;
  for (const StageChoice& stage : c.stages) {
    Value& entry = list.items.emplace_back();
    entry.set("layers", config::scalar(range(layer, stage.layers)));
    entry.set("devices", config::scalar(range(stage.first_device, stage.tensor * stage.data)));
    entry.set("tensor", config::number(stage.tensor));
    entry.set("data", config::number(stage.data));
    layer += stage.layers;
  }
  return list;
}

/// Stages that are not alike say all of it themselves.
void set_stages(const Candidate& c, Value& experiment) {
  for (const char* key : {"strategy", "placement", "partition"})
    std::erase_if(experiment.entries, [&](const config::Entry& e) { return e.key == key; });
  if (!c.stages.empty()) {
    experiment.set("strategy", strategy_of(c));
    return;
  }
  experiment.set("partition", partition_of(c));
  if (!c.placement.empty()) experiment.set("placement", list_of(c.placement));
}

Value recompute_of(const Candidate& c) {
  if (c.recomputed == 0) return config::scalar(c.recompute);
  Value some;
  some.set("layers", config::number(c.recomputed));
  return some;
}

/// "sbp 4 x 2".
std::string sbp_text(const Value& sbp) {
  std::string text;
  for (const Value& side : sbp.find("grid")->items)
    text += fmt::format("{}{}", text.empty() ? "sbp " : " x ", side.text);
  return text;
}

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
  given.nodes = static_cast<int>(cluster.nodes.size());
  given.devices = cluster.devices();
  given.devices_per_node = cluster.nodes.front().devices;
  if (cluster.nodes.front().type == "device") {
    given.nodes = 1;
    given.devices_per_node = cluster.devices();
  }
  given.global = experiment.batch.global;
  given.context = experiment.parallel.context;
  if (model.has_tokens())
    given.sequence =
        experiment.batch.sequence > 0 ? experiment.batch.sequence : model.sequence.value_or(0);
  given.transformer = !model.cnn && !model.recurrent;
  if (given.transformer) {
    given.blocks = static_cast<int>(model.transformer.layers);
    given.heads = model.transformer.heads;
  }
  if (const Device* device = cluster.device(0)) given.fpga = device->kind == DeviceKind::fpga;
  given.alike = std::ranges::adjacent_find(cluster.type_of, std::ranges::not_equal_to()) ==
                cluster.type_of.end();
  const auto keeps_weights = [](const Device& device) { return device.fpga.on_chip > Bytes{}; };
  given.by_layers =
      cluster.speeds.empty() && std::ranges::none_of(cluster.device_types, keeps_weights);
  given.whole_sequences = !experiment.batch.lengths;
  return given;
}

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
  if (recomputed == 0 && !recompute.empty() && recompute != "none") add("recompute " + recompute);
  if (zero) add("zero 1");
  if (recomputed > 0) add(fmt::format("recompute {} layers a stage", recomputed));
  if (!layers.empty())
    add(fmt::format("layers {}", fmt::join(layers, "+")));
  else if (balanced)
    add("balanced");
  if (!placement.empty()) add("own placement");
  add(schedule_name(schedule));
  return text;
}

Value experiment_of(const Problem& problem, const Candidate& c) {
  Value experiment = problem.experiment;
  experiment.set("parallel", parallel_of(problem, c));
  Value* batch = experiment.find("batch");
  batch->set("micro", config::number(c.micro));
  experiment.set("schedule", c.schedule);
  if (!c.recompute.empty() || c.recomputed > 0) experiment.set("recompute", recompute_of(c));
  set_stages(c, experiment);
  return experiment;
}

}  // namespace pipewright::search
