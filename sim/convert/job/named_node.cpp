#include "convert/job/named_node.hpp"

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
                                     {"mi300x", "mi300x"},
                                     {"mi325x", "mi325x"},
                                     {"mi355x", "mi355x", 8, true}};

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Returns the only one of the nodes that is a word of `name`.
std::optional<NamedNode> only_node_in(std::string_view name) {
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
