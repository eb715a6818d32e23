#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "config/emit.hpp"
#include "schedule/kinds/kinds.hpp"
#include "schedule/schedule.hpp"
#include "topology/bisection.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/dot.hpp"

namespace pipewright::cli {
namespace {

using config::Listing;

constexpr std::string_view kinds[] = {"devices",  "links",       "nodes",     "clusters",
                                      "models",   "experiments", "schedules", "networks",
                                      "profiles", "studies",     "papers",    "validation"};

std::vector<Listing> schedules() {
  std::vector<Listing> entries;
  for (const schedule::Kind* kind : schedule::kinds()) {
    std::string summary(kind->summary);
    if (!kind->aliases.empty()) summary += fmt::format(" [{}]", join(kind->aliases));
    entries.push_back({std::string(kind->name), std::move(summary)});
  }
  return entries;
}

std::vector<Listing> networks() {
  return {{"alpha-beta", "latency + bytes / bandwidth; transfers never share a link"},
          {"flow", "the same, but what uses a link at one time shares it max-min fairly"},
          {"packet", "queues, priorities, drops and time-outs; for traffic experiments"}};
}

std::vector<Listing> entries_of(std::string_view kind, const Environment& environment) {
  if (kind == "schedules") return schedules();
  if (kind == "networks") return networks();
  return environment.catalogue.list(kind);
}

void print_entries(std::string_view kind, const Environment& environment) {
  const std::vector<Listing> entries = entries_of(kind, environment);
  size_t width = 0;
  for (const Listing& entry : entries) width = std::max(width, entry.name.size());
  fmt::print("{}:\n", kind);
  for (const Listing& entry : entries)
    fmt::print("  {:<{}}  {}\n", entry.name, width, entry.description);
}

bool has_topology(std::string_view kind) { return kind == "clusters" || kind == "nodes"; }

/// A node stands by itself.
Cluster cluster_of(std::string_view kind, const std::string& name,
                   const config::Catalogue& catalogue) {
  if (kind == "clusters") return read_cluster(config::scalar(name), catalogue);
  config::Value node;
  node.set("name", config::scalar(name));
  node.set("node", config::scalar(name));
  return read_cluster(node, catalogue);
}

/// A comment, so that what is shown can be kept as a file.
std::string bisection_text(const Cluster& cluster) {
  const int devices = cluster.devices();
  if (devices < 2) return {};
  return fmt::format("# bisection: {} each way (max flow, devices 0-{} to {}-{})\n",
                     text_of(bisection(cluster.topology)), devices / 2 - 1, devices / 2,
                     devices - 1);
}

int list(const Arguments& arguments, const Environment& environment) {
  options::options_description description;
  std::vector<std::string> words;
  bool dot = false;
  description.add_options()("words", options::value(&words));
  description.add_options()("dot", options::bool_switch(&dot));
  parse(arguments, description, "words", 2);
  if (dot && (words.size() != 2 || !has_topology(words[0])))
    throw InputError("--dot draws one of 'list clusters NAME' or 'list nodes NAME'");
  if (words.empty()) {
    for (const std::string_view kind : kinds) print_entries(kind, environment);
    return 0;
  }
  if (std::find(std::begin(kinds), std::end(kinds), words[0]) == std::end(kinds)) {
    std::string hint = did_you_mean(words[0], kinds);
    if (hint.empty()) hint = "; there are: " + join(kinds);
    throw InputError(fmt::format("unknown kind '{}'{}", words[0], hint));
  }
  if (words.size() == 1) {
    print_entries(words[0], environment);
    return 0;
  }
  if (words[0] == "schedules" || words[0] == "networks") {
    for (const Listing& entry : entries_of(words[0], environment)) {
      if (entry.name != words[1]) continue;
      fmt::print("{}: {}\n", entry.name, entry.description);
      return 0;
    }
    throw InputError(
        fmt::format("unknown name '{}'; 'pipewright list {}' shows all", words[1], words[0]));
  }
  if (dot) {
    fmt::print("{}", to_dot(cluster_of(words[0], words[1], environment.catalogue)));
    return 0;
  }
  std::string text =
      config::to_yaml(environment.catalogue.resolve(words[0], config::scalar(words[1])));
  if (has_topology(words[0]))
    text += bisection_text(cluster_of(words[0], words[1], environment.catalogue));
  fmt::print("{}", text);
  return 0;
}

}  // namespace

const Command command::list_command{"list", help_list, list};

}  // namespace pipewright::cli
