// Arguments are those of megatron/arguments.py of deepspeedai/Megatron-DeepSpeed in July 2025.
#include "convert/deepspeed/along.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "convert/job/carried.hpp"
#include "convert/job/step_counts.hpp"
#include "convert/megatron/along.hpp"
#include "convert/megatron/variables.hpp"

namespace pipewright::deepspeed {
namespace {

using config::Value;

constexpr std::string_view format = "deepspeed";

/// Arguments of both that decide nothing of an experiment.
constexpr std::string_view shared_keys[] = {"lr",
                                            "min-lr",
                                            "lr-decay-style",
                                            "lr-decay-iters",
                                            "lr-decay-samples",
                                            "lr-warmup-fraction",
                                            "lr-warmup-iters",
                                            "lr-warmup-samples",
                                            "weight-decay",
                                            "adam-beta1",
                                            "adam-beta2",
                                            "adam-eps",
                                            "clip-grad",
                                            "init-method-std",
                                            "seed",
                                            "data-path",
                                            "split",
                                            "vocab-file",
                                            "merge-file",
                                            "num-workers",
                                            "save",
                                            "load",
                                            "save-interval",
                                            "log-interval",
                                            "eval-interval",
                                            "eval-iters",
                                            "tensorboard-dir"};

/// Of the plan that a job had, or made by the program for each run of it.
constexpr std::string_view of_plan[] = {"autotuning", "elasticity", "timers"};

Value& own(job::Import& import) {
  Value* map = import.carried.is_map() ? import.carried.find(format) : nullptr;
  return map ? *map : import.carried.set(format, {});
}

void leave(job::Import& import, const std::string& what) {
  Value& map = own(import);
  Value* left = map.find(job::left);
  if (!left) {
    Value list;
    list.kind = Value::Kind::list;
    left = &map.set(job::left, std::move(list));
  }
  left->items.push_back(config::scalar(what));
}

void leave_variables(job::Import& import, const Value& variables) {
  for (const config::Entry& one : variables.entries)
    leave(import, fmt::format("{}={}", one.key, job::written(one.value)));
}

}  // namespace

void carry_configuration(job::Import& import, const job::Settings& config) {
  for (const std::string& path : import.idle) {
    const Value* value = config.look(path);
    const std::string section = path.substr(0, path.find('.'));
    if (!value || value->is_null() || value->text == "auto") continue;
    if (std::ranges::find(of_plan, section) != std::end(of_plan) || path.starts_with('_'))
      leave(import, fmt::format("{}: {}", path, job::written(*value)));
    else
      job::set_at(own(import), path, *value);
  }
}

void carry_program(job::Import& import, const Value& arguments) {
  for (const std::string& name : import.idle)
    if (const Value* value = arguments.find(name))
      leave(import, fmt::format("--{} {}", name, job::written(*value)));
}

void carry_megatron(job::Import& import, const Value& carried) {
  const Value* all = carried.is_map() ? carried.find(megatron::along_format) : nullptr;
  if (!all) return;
  for (const config::Entry& entry : all->entries) {
    const bool is_shared = std::ranges::find(shared_keys, entry.key) != std::end(shared_keys);
    if (is_shared)
      job::set_at(own(import), fmt::format("{}.{}", arguments_along, entry.key), entry.value);
    else if (entry.key == megatron::variables_key)
      leave_variables(import, entry.value);
    else if (entry.key != job::left && entry.key != job::step && !megatron::is_ours(entry.key))
      leave(import, fmt::format("--{} {}", entry.key, job::written(entry.value)));
  }
  if (const Value* left = all->find(job::left))
    for (const Value& one : left->items) leave(import, one.text);
}

std::span<const std::string_view> step_counts() {
  static constexpr std::string_view paths[] = {
      "scheduler.params.warmup_num_steps", "scheduler.params.total_num_steps",
      "arguments.lr-warmup-iters", "arguments.lr-decay-iters"};
  return paths;
}

}  // namespace pipewright::deepspeed
