#include "experiment/misplaced_keys.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

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

/// Returns the paths, of two names at the most, at which a key may be meant.
std::vector<std::string> places_of(std::string_view key) {
  if (const std::string_view path = key_called(key); !path.empty()) return {std::string(path)};
  if (std::ranges::find(cluster_keys, key) != std::end(cluster_keys))
    return {fmt::format("cluster.{}", key)};
  std::vector<std::string> places;
  for (const OptionText& option : option_texts()) {
    const size_t dot = option.path.find('.');
    if (dot != std::string_view::npos && option.path.substr(dot + 1) == key)
      places.emplace_back(option.path);
  }
  // Most look for the degrees and the batch.
  const auto main = std::ranges::find_if(places, [](const std::string& place) {
    return place.starts_with("parallel.") || place.starts_with("batch.");
  });
  return main == places.end() ? places : std::vector<std::string>{*main};
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
    const std::vector<std::string> places = places_of(entry.key);
    if (!places.empty())
      throw InputError(entry.mark.where(), fmt::format("unknown key '{}'; it is '{}'", entry.key,
                                                       fmt::join(places, "' or '")));
  }
  if (const config::Value* parallel = document.find("parallel")) refuse_short_names(*parallel);
}

}  // namespace pipewright
