// After src/megatron/bridge/peft/lora.py and module_matcher.py, August 2026.
#include "convert/megatron_bridge/peft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace pipewright::megatron_bridge {
namespace {

using config::Value;

constexpr const char* target_path = "peft.target_modules";
/// The products beside which adapters stand where nobody says others.
constexpr std::string_view products[] = {"linear_qkv", "linear_proj", "linear_fc1", "linear_fc2"};

std::vector<std::string> targets_of(job::Settings& settings) {
  const Value* list = settings.find(std::string_view(target_path));
  if (!list) return {std::begin(products), std::end(products)};
  if (!list->is_list() || list->items.empty())
    list->fail("must be a list of modules: without one, the head has an adapter too");
  std::vector<std::string> targets;
  for (const Value& item : list->items) targets.push_back(item.text);
  return targets;
}

bool has(const std::vector<std::string>& targets, std::string_view name) {
  return std::ranges::find(targets, name) != targets.end();
}

/// Refuses modules by a pattern or beside which no adapter is modelled, and notes where some of
/// the products have none.
void check_targets(job::Settings& settings, const std::vector<std::string>& targets) {
  const auto has_all = [&](const auto& names) {
    return std::ranges::all_of(names, [&](std::string_view name) { return has(targets, name); });
  };
  for (const std::string& target : targets)
    if (std::ranges::find(products, target) == std::end(products))
      settings.refuse(target_path, fmt::format("{} cannot be said: adapters stand beside "
                                               "linear_qkv, linear_proj, linear_fc1 and linear_fc2",
                                               target));
  if (!has_all(products))
    settings.import().slight.push_back(fmt::format(
        "{}: {}: adapters are taken to stand beside every product of attention and of MLPs, which "
        "takes more time and memory",
        target_path, job::written(*settings.look(target_path))));
}

/// Only the plain class is read: others put adapters elsewhere.
bool is_plain(job::Settings& settings) {
  const Value* target = settings.find("peft._target_");
  const std::string name =
      target ? target->text.substr(target->text.find_last_of('.') + 1) : std::string("LoRA");
  if (name == "LoRA") return true;
  settings.refuse("peft._target_", name + " cannot be said: only LoRA is read");
  return false;
}

/// Refuses what changes the adapters of experts beyond one for all of a device's or one for each.
void check_experts(job::Settings& settings) {
  constexpr const char* paths[] = {"peft.normalize_moe_lora", "peft.experts_shared_outer_loras"};
  for (const char* path : paths)
    if (settings.truth({path}, false))
      settings.refuse(path,
                      "true cannot be said: adapters of experts are of one rank, one for a "
                      "device or one for each expert");
}

}  // namespace

Value read_adapters(job::Settings& settings) {
  const Value* section = settings.look("peft");
  if (!section || section->is_null()) return {};
  job::check_known(*section);
  if (!section->is_map() || !is_plain(settings)) return {};
  const std::vector<std::string> targets = targets_of(settings);
  check_targets(settings, targets);
  check_experts(settings);
  const bool is_shared = settings.truth({"peft.share_expert_adapters"}, true);
  Value adapters;
  adapters.set("rank", config::number(settings.integer({"peft.dim"}, 32)));
  if (has(targets, "linear_fc1") || has(targets, "linear_fc2"))
    adapters.set("experts", config::scalar(is_shared ? "shared" : "each"));
  return adapters;
}

void set_adapters(Value adapters, job::Import& import) {
  if (adapters.is_null()) return;
  const Value* model = import.experiment.find("model");
  const Value* transformer = model ? model->find("transformer") : nullptr;
  const bool has_experts = transformer && transformer->find("experts") && adapters.find("experts");
  import.experiment.set("adapters",
                        has_experts ? std::move(adapters) : Value(*adapters.find("rank")));
}

}  // namespace pipewright::megatron_bridge
