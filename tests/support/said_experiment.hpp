// What an experiment says, whichever way it is written.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "experiments.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "workload/model/model.hpp"

namespace pipewright::test {

/// Every value of a document by its path.
inline void flatten(const config::Value& value, const std::string& path,
                    std::map<std::string, std::string>& flat) {
  for (const config::Entry& entry : value.entries)
    flatten(entry.value, path + '.' + entry.key, flat);
  for (size_t i = 0; i < value.items.size(); ++i)
    flatten(value.items[i], fmt::format("{}.{}", path, i), flat);
  if (value.is_scalar()) flat[path] = value.text;
}

/// Stages that are alike are what holds where nobody says it.
inline bool is_even(const config::Value& partition) {
  return std::all_of(
      partition.items.begin(), partition.items.end(),
      [&](const config::Value& item) { return item.text == partition.items.front().text; });
}

/// What an experiment says, the model by its dimensions.
using Said = std::map<std::string, std::string>;

/// The experiment as it runs; nothing where it cannot.
inline std::optional<Said> said(const std::string& text) {
  const config::Catalogue catalogue;
  try {
    const Experiment experiment =
        read_experiment(resolve(config::parse(text, "x.yaml"), catalogue));
    config::Value document = prepare(experiment, catalogue, {}).record.resolved;
    document.set("model", {});
    const config::Value* partition = document.find("partition");
    if (partition && is_even(*partition)) document.set("partition", {});
    Said flat;
    flatten(document, "", flat);
    // One replica has nobody to share its state with, whatever ZeRO says.
    if (flat[".parallel.data"] == "1" && experiment.parallel.context == 1)
      flat.erase(".parallel.zero");
    const TransformerShape& t = experiment.model_or_fail().transformer;
    const Experts experts = t.experts.value_or(Experts{});
    flat["model"] = fmt::format(
        "{} {} {} {} {} {} {} {}{}{}{} {} {} {} {} {} {}", t.layers, t.hidden, t.attention.heads,
        t.attention.kv_heads, t.attention.head_dim, t.ffn, t.ends.vocabulary, t.gated, t.ends.tied,
        t.bias, t.dropout, static_cast<int>(t.positions), static_cast<int>(t.norm), experts.count,
        experts.active, experts.groups, experts.active_groups);
    return flat;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace pipewright::test
