#include "convert/job/named_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "convert/job/configured.hpp"
#include "interop/words.hpp"

namespace pipewright::job {
namespace {

constexpr std::string_view device_definition = "gpu";
constexpr int components = 3;  ///< of a path that may say it, from its end

constexpr NamedNode named_nodes[] = {{"h100", "dgx-h100"},
                                     {"h200", "dgx-h200"},
                                     {"b200", "dgx-b200", 8, true},
                                     {"b300", "dgx-b300", 8, true},
                                     {"gb200", "gb200-nvl72", 72, true},
                                     {"gb300", "gb300-nvl72", 72, true},
                                     {"a3mega", "a3-mega"},
                                     {"a3ultra", "a3-ultra"},
                                     {"a4", "a4-high", 8, true},
                                     {"a4x", "a4x", 72, true},
                                     {"mi300x", "mi300x"},
                                     {"mi325x", "mi325x"},
                                     {"mi355x", "mi355x", 8, true}};

/// Kinds of machines by the names that clouds rent them under, in small letters.
constexpr NamedNode rented_nodes[] = {{"a3-highgpu-8g", "a3-high"},
                                      {"a3-megagpu-8g", "a3-mega"},
                                      {"a3-ultragpu-8g", "a3-ultra"},
                                      {"a4-highgpu-8g", "a4-high", 8, true},
                                      {"a4x-highgpu-4g", "a4x", 72, true},
                                      {"p4d.24xlarge", "p4d.24xlarge"},
                                      {"p4de.24xlarge", "p4de.24xlarge"},
                                      {"p5.48xlarge", "p5.48xlarge"},
                                      {"p5e.48xlarge", "p5e.48xlarge"},
                                      {"p5en.48xlarge", "p5en.48xlarge"},
                                      {"p6-b200.48xlarge", "p6-b200.48xlarge", 8, true},
                                      {"nd96isr_h100_v5", "nd-h100-v5"},
                                      {"nd96isrf_h100_v5", "nd-h100-v5"},
                                      {"nd96isr_h200_v5", "nd-h200-v5"},
                                      {"gb200_v6", "nd-gb200-v6", 72, true}};

/// Devices as schedulers name them where no file does: a node that has them.
constexpr NamedNode scheduled_nodes[] = {{"a100", "dgx-a100-80g"}, {"v100", "dgx-1-v100-32g"}};

/// Options of #SBATCH lines that say which nodes a job runs on.
constexpr std::string_view node_options[] = {"--constraint", "-C",     "--gres", "--partition",
                                             "-p",           "--gpus", "-G",     "--gpus-per-node"};

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Returns the only kind of machine that `text` names.
std::optional<NamedNode> only_rented_in(const std::string& text) {
  std::optional<NamedNode> found;
  for (const NamedNode& node : rented_nodes) {
    if (text.find(node.word) == std::string::npos) continue;
    if (found && found->node != node.node) return std::nullopt;
    found = node;
  }
  return found;
}

/// Returns the only one of the nodes that is a word of `name`. A rented one is more than its
/// device.
std::optional<NamedNode> only_node_in(std::string_view name) {
  if (const auto rented = only_rented_in(interop::lower_case(name))) return rented;
  std::optional<NamedNode> found;
  const std::string text = interop::lower_case(name);
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_in_word);
    at = std::find_if_not(begin, text.end(), is_in_word);
    const auto* node =
        std::ranges::find(named_nodes, std::string_view(begin, at), &NamedNode::word);
    if (node == std::end(named_nodes)) continue;
    if (found && found->word != node->word) return std::nullopt;
    found = *node;
  }
  return found;
}

/// Tells whether a word of an #SBATCH line begins with an option that says the nodes.
bool says_nodes(std::string_view word) {
  return std::ranges::any_of(node_options, [&](std::string_view option) {
    return word.starts_with(option) && (word.size() == option.size() || word[option.size()] == '=');
  });
}

/// Returns what the #SBATCH lines of a script say of the nodes that it runs on.
std::string scheduled(std::string_view script) {
  std::string said;
  while (!script.empty()) {
    const std::string_view line = interop::take_line(script);
    if (!line.starts_with("#SBATCH")) continue;
    const auto words = interop::words_of(line);
    for (size_t i = 1; i < words.size(); ++i) {
      if (!says_nodes(words[i])) continue;
      said += fmt::format("{} ", words[i]);
      if (words[i].find('=') == words[i].npos && i + 1 < words.size())
        said += fmt::format("{} ", words[i + 1]);
    }
  }
  return said;
}

/// Returns the node that a scheduler or a cloud gives a job, by its text.
std::optional<NamedNode> node_in_script(std::string_view text) {
  const std::string said = scheduled(text);
  std::optional<NamedNode> node = only_node_in(said);
  for (const NamedNode& device : scheduled_nodes)
    if (!node && interop::lower_case(said).find(device.word) != std::string::npos) node = device;
  if (!node) node = only_rented_in(interop::lower_case(text));
  if (node) node->in_script = true;
  return node;
}

/// Returns a path's last component, which it loses.
std::string_view take_last(std::string_view& path) {
  const size_t slash = path.find_last_of('/');
  const std::string_view last = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  return last;
}

}  // namespace

std::optional<NamedNode> named_node(const Source& source) {
  for (const std::string_view name : {device_definition, config_definition}) {
    const auto given = source.given.find(std::string(name));
    if (given == source.given.end()) continue;
    if (const auto node = only_node_in(given->second)) return node;
  }
  if (const auto node = node_in_script(source.text)) return node;
  std::string_view path = source.file;
  for (int component = 0; component < components; ++component)
    if (const auto node = only_node_in(take_last(path))) return node;
  return std::nullopt;
}

std::optional<int64_t> named_devices(const Source& source) {
  constexpr int64_t most = 1'048'576;
  const auto given = source.given.find(std::string(config_definition));
  if (given == source.given.end()) return std::nullopt;
  const std::string& name = given->second;
  const size_t end = name.find("gpu_");
  if (end == std::string::npos) return std::nullopt;
  size_t begin = end;
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  const auto count = interop::number_of<int64_t>(name.substr(begin, end - begin));
  return count && *count > 0 && *count <= most ? count : std::nullopt;
}

}  // namespace pipewright::job
