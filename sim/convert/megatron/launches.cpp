// Sources: megatron/core/transformer/cuda_graph_config.py and transformer_config.py, August 2026.
// Before October 2025 --enable-cuda-graph and --external-cuda-graph said who captures, and until
// May 2026 --cuda-graph-scope what is captured.
#include "convert/megatron/launches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "convert/megatron/recompute.hpp"
#include "experiment/options.hpp"
#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

using config::scalar;
using config::Value;

constexpr std::string_view iteration = "full_iteration", no_training = "full_iteration_inference";

/// Returns who captures; empty for nobody.
std::string capturer(Flags& flags) {
  const bool enabled = flags.has("enable-cuda-graph"), external = flags.has("external-cuda-graph");
  const std::string said = flags.text("cuda-graph-impl").value_or("none");
  if (said != "none") return said;
  return external ? "transformer_engine" : enabled ? "local" : "";
}

/// Returns the modules, the words of each release; empty for whole layers.
std::vector<std::string> scopes(Flags& flags) {
  std::vector<std::string> all;
  for (const char* name : {"cuda-graph-modules", "cuda-graph-scope"})
    for (std::string text : flags.texts(name)) {
      std::ranges::replace(text, ',', ' ');
      for (const std::string_view word : interop::words_of(text))
        if (word != "full") all.emplace_back(word);
    }
  return all;
}

/// Tells whether the model has what Megatron-Core captures by this name.
bool has_graphed(Flags& flags, const Value& given, const std::string& module) {
  if (module == "mlp") return has_part(flags, given, module);
  if (module.starts_with("moe")) return has_part(flags, given, "moe");
  return module != "mamba" || given.find("state_space");
}

Value list_of(const std::vector<std::string>& words) {
  Value list;
  list.kind = Value::Kind::list;
  for (const std::string& word : words) list.items.push_back(scalar(word));
  return list;
}

/// Modules that no layer has are captured nowhere.
std::vector<std::string> known_modules(Flags& flags, const Value& given,
                                       const std::vector<std::string>& modules) {
  const auto& known = choices::launches_graphs;
  std::vector<std::string> kept;
  for (const std::string& module : modules) {
    if (std::ranges::find(known, module) == std::end(known))
      flags.refuse("cuda-graph-modules", fmt::format("{} cannot be said: it is one of {}", module,
                                                     pipewright::join(known)));
    else if (has_graphed(flags, given, module))
      kept.push_back(module);
    else
      flags.import().slight.push_back(
          fmt::format("{}: the model has no {}", flags.named("cuda-graph-modules"), module));
  }
  return kept;
}

Value graphs(std::vector<std::string> words, const std::string& by) {
  Value launches;
  launches.set("graphs", list_of(words));
  if (by == "local") launches.set("capture", scalar(by));
  return launches;
}

}  // namespace

bool captures_experts(const Flags& flags) {
  if (flags.look("cuda-graph-impl") == std::string(iteration)) return true;
  for (const char* name : {"cuda-graph-modules", "cuda-graph-scope"}) {
    const GivenFlag* given = flags.given().find(name);
    if (given && std::ranges::find(given->values, "moe", &job::Word::text) != given->values.end())
      return true;
  }
  return false;
}

Value read_launches(Flags& flags, const Value& given) {
  const std::string by = capturer(flags);
  std::vector<std::string> modules = scopes(flags);
  const bool with_step = flags.has("optimizer-cuda-graph");
  const bool whole = by == iteration || std::erase(modules, iteration) > 0;
  const bool infers = std::erase(modules, no_training) > 0;
  if (with_step && !(whole && !by.empty()))
    flags.refuse("optimizer-cuda-graph", "cannot be said but beside the graph of an iteration");
  if (by.empty()) return {};
  if (whole) return with_step ? scalar("graph") : graphs({"iteration"}, "");
  if (modules.empty() && infers) return {};
  if (modules.empty()) return graphs({"layer"}, by);
  modules = known_modules(flags, given, modules);
  return modules.empty() ? Value{} : graphs(std::move(modules), by);
}

}  // namespace pipewright::megatron
