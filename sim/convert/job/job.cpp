#include "convert/job/job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/emit.hpp"
#include "convert/job/carried.hpp"
#include "convert/job/named_node.hpp"
#include "interop/words.hpp"

namespace pipewright::job {
namespace {

using config::number;
using config::scalar;
using config::Value;

/// A list of data may have thousands of characters.
constexpr size_t longest_comment = 400;

/// Comments end with their line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 32 || c == 127; }, ' ');
  if (text.size() <= longest_comment) return text;
  size_t end = longest_comment;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // UTF-8
  return text.substr(0, end) + " ...";
}

/// A cluster of nodes of which each has its own fabric.
Value cluster_of_named(const NamedNode& node, int64_t devices, int64_t per_node) {
  Value cluster = node.devices == 8 ? assumed_cluster(devices, per_node) : Value();
  cluster.set("node", scalar(node.node));
  if (node.devices != 8) {
    cluster.set("nodes", number((devices + node.devices - 1) / node.devices));
    if (devices % node.devices != 0) cluster.set("devices", number(devices));
  }
  std::erase_if(cluster.entries, [](const config::Entry& entry) { return entry.key == "fabric"; });
  return cluster;
}

void add_lines(std::string& text, std::string_view what, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) text += fmt::format("# {}: {}\n", what, one_line(line));
}

}  // namespace

void refuse(const Source& source, Import& import, const Where& where, const std::string& what) {
  if (!source.partial)
    throw InputError(where, what + (what.ends_with('?') ? " " : "; ") +
                                "--partial goes on without it, and says so in the experiment");
  import.refused.push_back(fmt::format("{} ({})", what, to_string(where)));
}

void add_notes(Import& into, const Import& from) {
  for (const auto notes :
       {&Import::assumed, &Import::slight, &Import::refused, &Import::unused, &Import::idle})
    (into.*notes).insert((into.*notes).end(), (from.*notes).begin(), (from.*notes).end());
  into.devices_assumed |= from.devices_assumed;
}

std::string to_yaml(const Import& import) {
  std::string text = fmt::format("# From {}.\n", one_line(import.from));
  add_lines(text, "assumed", import.assumed);
  add_lines(text, "matters, but cannot be said", import.refused);
  add_lines(text, "matters somewhat, but is not simulated", import.slight);
  add_lines(text, "does not matter here", import.unused);
  return text + carried_comments(import.carried) + config::to_yaml(import.experiment);
}

Value assumed_cluster(int64_t devices, int64_t per_node) {
  Value cluster;
  const int64_t nodes = (devices + per_node - 1) / per_node;
  cluster.set("node", scalar("dgx-h100"));
  if (per_node > 8 || (nodes > 1 && per_node < 8)) {
    // A node has eight devices, of which the same number is used in each.
    const int64_t whole = per_node > 8 ? (devices + 7) / 8 : nodes;
    cluster.set("nodes", number(whole));
    if (whole * 8 != devices) cluster.set("devices", number(devices));
  } else {
    cluster.set("nodes", number(nodes));
    if (devices % 8 != 0) cluster.set("devices", number(devices));
  }
  // Another node has NICs of its own.
  Value& fabric = cluster.set("fabric", {});
  fabric.set("kind", scalar("fat-tree"));
  fabric.set("link", scalar("ndr"));
  return cluster;
}

void assume_cluster(Import& import, const Source& source, int64_t devices, int64_t per_node) {
  if (const auto node = named_node(source)) {
    import.assumed.push_back(fmt::format("{}: {} is assumed, as {} says {}", no_cluster, node->node,
                                         node->in_script ? "the script" : "its name", node->word));
    import.experiment.set("cluster", cluster_of_named(*node, devices, per_node));
    return;
  }
  import.assumed.push_back(fmt::format("{}: DGX H100 over NDR InfiniBand is assumed", no_cluster));
  import.experiment.set("cluster", assumed_cluster(devices, per_node));
}

std::optional<int64_t> given_devices(const Source& source) {
  const auto given = source.given.find("NGPU");
  if (given == source.given.end()) return std::nullopt;
  const auto count = interop::number_of<int64_t>(given->second);
  if (!count || *count < 1 || *count > 1'048'576)
    throw InputError(fmt::format("--define NGPU={}: needs a number of devices", given->second));
  return count;
}

Value truth(bool value) { return scalar(value ? "true" : "false"); }

Value list_of(const std::vector<int>& numbers) {
  Value list;
  list.kind = Value::Kind::list;
  for (const int n : numbers) list.items.push_back(number(n));
  return list;
}

}  // namespace pipewright::job
