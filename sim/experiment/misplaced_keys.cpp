#include "experiment/misplaced_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "experiment/option_texts.hpp"
#include "experiment/readers.hpp"

namespace pipewright {
namespace {

struct ShortName {
  std::string_view name, path;
};

/// Megatron-LM's and torchtitan's abbreviations.
constexpr ShortName short_names[] = {
    {"tp", "parallel.tensor"},   {"pp", "parallel.pipeline"},   {"dp", "parallel.data"},
    {"cp", "parallel.context"},  {"ep", "parallel.expert"},     {"etp", "parallel.expert_tensor"},
    {"vpp", "parallel.virtual"}, {"sp", "parallel.sequence"},   {"gbs", "batch.global"},
    {"mbs", "batch.micro"},      {"seq_len", "batch.sequence"}, {"seq_length", "batch.sequence"}};

/// Keys of a cluster, which has no table of options.
constexpr std::string_view cluster_keys[] = {"node", "nodes", "devices", "device", "fabric"};

/// Returns the path of two names at which a key is meant; empty where nobody knows. Most look for
/// the degrees, the batch and the cluster: what other maps call so is often meant elsewhere.
std::string place_of(std::string_view key) {
  if (const std::string_view path = key_called(key); !path.empty()) return std::string(path);
  if (std::ranges::find(cluster_keys, key) != std::end(cluster_keys))
    return fmt::format("cluster.{}", key);
  for (const OptionText& option : option_texts())
    for (const std::string_view map : {"parallel.", "batch."})
      if (option.path.starts_with(map) && option.path.substr(map.size()) == key)
        return std::string(option.path);
  return {};
}

void refuse_short_names(const config::Value& parallel) {
  for (const config::Entry& entry : parallel.entries) {
    const std::string_view path = key_called(entry.key);
    if (path.starts_with("parallel."))
      throw InputError(entry.mark.where(), fmt::format("unknown key '{}'; it is '{}'", entry.key,
                                                       path.substr(path.find('.') + 1)));
  }
}

}  // namespace

std::string_view key_called(std::string_view short_name) {
  const auto found = std::ranges::find(short_names, short_name, &ShortName::name);
  return found == std::end(short_names) ? std::string_view{} : found->path;
}

void refuse_misplaced_keys(const config::Value& document) {
  for (const config::Entry& entry : document.entries) {
    if (std::ranges::find(keys::experiment, std::string_view(entry.key)) !=
        std::end(keys::experiment))
      continue;
    if (const std::string place = place_of(entry.key); !place.empty())
      throw InputError(entry.mark.where(),
                       fmt::format("unknown key '{}'; it is '{}'", entry.key, place));
  }
  if (const config::Value* parallel = document.find("parallel")) refuse_short_names(*parallel);
}

}  // namespace pipewright
