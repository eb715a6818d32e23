#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "cli/schedule_help.hpp"
#include "config/emit.hpp"
#include "schedule/kinds/kinds.hpp"
#include "schedule/schedule.hpp"
#include "topology/bisection.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/dot.hpp"
#include "workload/model/model_layers.hpp"

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
          {"packet", "queues, priorities, drops and time-outs; between nodes"}};
}

std::vector<Listing> entries_of(std::string_view kind, const Environment& environment) {
  if (kind == "schedules") return schedules();
  if (kind == "networks") return networks();
  return environment.catalogue.list(kind);
}

void print(std::string_view kind, std::span<const Listing> entries) {
  size_t width = 0;
  for (const Listing& entry : entries) width = std::max(width, entry.name.size());
  fmt::print("{}:\n", kind);
  for (const Listing& entry : entries)
    fmt::print("  {:<{}}  {}\n", entry.name, width, entry.description);
}

/// Returns those whose names hold `part`; none where one is called so.
std::vector<Listing> entries_with(std::string_view part, std::vector<Listing> entries) {
  if (std::ranges::find(entries, part, &Listing::name) != entries.end()) return {};
  std::erase_if(entries, [&](const Listing& entry) {
    return part.empty() || entry.name.find(part) == std::string::npos;
  });
  return entries;
}

bool has_topology(std::string_view kind) { return kind == "clusters" || kind == "nodes"; }

/// An entry of the catalogue by its name, or one that is written out.
config::Value named_or_map(const std::string& text) {
  return text.starts_with('{') ? config::parse(text, "the map") : config::scalar(text);
}

/// A node stands by itself.
Cluster cluster_of(std::string_view kind, const std::string& name,
                   const config::Catalogue& catalogue) {
  const config::Value named = named_or_map(name);
  if (kind == "clusters") return read_cluster(named, catalogue);
  config::Value node;
  if (named.is_scalar()) node.set("name", named);
  node.set("node", named);
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

/// "30.5 B".
std::string billions(double count) {
  return count < 1e12 ? fmt::format("{:.3g} B", count / 1e9)
                      : fmt::format("{:.3g} T", count / 1e12);
}

std::string blocks_text(const TransformerShape& shape) {
  std::string text = fmt::format("{} layers, hidden {}", shape.layers, shape.hidden);
  if (shape.has_attention())
    text += fmt::format(", {} heads of {}, {} of keys and values", shape.attention.heads,
                        shape.attention.head_dim, shape.attention.kv_heads);
  if (shape.has_mlp())
    text += fmt::format(", MLPs of {}{}", shape.ffns.empty() ? "" : "up to ", shape.ffn);
  if (shape.experts)
    text += fmt::format(", {} experts of {}, {} active", shape.experts->count, shape.experts->ffn,
                        shape.experts->active);
  if (shape.experts && shape.experts->zero > 0)
    text += fmt::format(" of them and of {} that do nothing", shape.experts->zero);
  return text + fmt::format(", vocabulary {}", shape.ends.vocabulary);
}

/// Returns the parameters of a vision tower with its projector, which no token of text passes.
double tower_parameters(const Model& model) {
  const auto& tower = model.transformer.vision;
  if (!tower || model.cnn || model.recurrent || model.layers) return 0;
  WorkloadOptions options;
  options.sequence = model.sequence.value_or(1);
  options.images = {1, tower->patches.side * tower->projector.merge};
  double all = 0;
  for (const Layer& layer : model_layers(model, options, {}))
    if (layer.kind == LayerKind::tower) all += layer.parameters;
  return all;
}

/// What was understood of a model, as comments like the above.
std::string model_text(const config::Value& entry) {
  const Model model = read_model(entry);
  const bool has_blocks = !model.cnn && !model.recurrent && !model.layers;
  const ModelParameters parameters = count_parameters(model);
  std::string text = has_blocks ? fmt::format("# {}\n", blocks_text(model.transformer)) : "";
  if (parameters.all > 0) text += fmt::format("# parameters: {}", billions(parameters.all));
  if (parameters.active < parameters.all)
    text += fmt::format(", {} active", billions(parameters.active));
  if (const double tower = tower_parameters(model); tower > 0)
    text += fmt::format("; of the vision tower {} more", billions(tower));
  return text.empty() || text.ends_with('\n') ? text : text + '\n';
}

struct Wanted {
  std::vector<std::string> words;
  bool dot = false;
};

/// Returns the end of a message on the name of an entry that stands in place of a kind; empty for
/// what is no such name.
std::string kind_of_name(const std::string& name, const Environment& environment) {
  for (const std::string_view kind : kinds)
    if (std::ranges::count(entries_of(kind, environment), name, &Listing::name) > 0)
      return fmt::format("; 'pipewright list {} {}' shows the entry of that name", kind, name);
  return {};
}

Wanted read_options(const Arguments& arguments, const Environment& environment) {
  Wanted wanted;
  options::options_description description;
  description.add_options()("words", options::value(&wanted.words));
  description.add_options()("dot", options::bool_switch(&wanted.dot));
  parse(arguments, description, "words", 2);
  const std::vector<std::string>& words = wanted.words;
  if (words.size() == 2 && words[1].starts_with('{') && !has_topology(words[0]))
    throw InputError(
        fmt::format("'list {}' takes a name; a map is shown of clusters and nodes", words[0]));
  if (wanted.dot && (words.size() != 2 || !has_topology(words[0])))
    throw InputError("--dot draws one of 'list clusters NAME' or 'list nodes NAME'");
  if (!words.empty() &&
      std::find(std::begin(kinds), std::end(kinds), words[0]) == std::end(kinds)) {
    std::string hint = kind_of_name(words[0], environment);
    if (hint.empty()) hint = did_you_mean(words[0], kinds);
    if (hint.empty()) hint = "; there are: " + join(kinds);
    throw InputError(fmt::format("unknown kind '{}'{}", words[0], hint));
  }
  return wanted;
}

/// What is built in has a line alone.
bool is_built_in(std::string_view kind) { return kind == "schedules" || kind == "networks"; }

Listing built_in(const std::string& kind, const std::string& name, const Environment& environment) {
  for (Listing& entry : entries_of(kind, environment))
    if (entry.name == name) return std::move(entry);
  throw InputError(fmt::format("unknown name '{}'; 'pipewright list {}' shows all", name, kind));
}

void print_entry(const std::string& kind, const std::string& name, const Environment& environment) {
  if (kind == "schedules") {
    if (const schedule::Kind* found = schedule::find_kind(name)) {
      fmt::print("{}", schedule_text(*found));
      return;
    }
  }
  if (is_built_in(kind)) {
    const Listing entry = built_in(kind, name, environment);
    fmt::print("{}: {}\n", entry.name, entry.description);
    return;
  }
  const config::Value entry = environment.catalogue.resolve(kind, named_or_map(name));
  std::string text = config::to_yaml(entry);
  if (kind == "models") text += model_text(entry);
  if (has_topology(kind)) text += bisection_text(cluster_of(kind, name, environment.catalogue));
  fmt::print("{}", text);
}

int list(const Arguments& arguments, const Environment& environment) {
  const auto [words, dot] = read_options(arguments, environment);
  if (words.empty())
    for (const std::string_view kind : kinds) print(kind, entries_of(kind, environment));
  else if (words.size() == 1)
    print(words[0], entries_of(words[0], environment));
  else if (dot)
    fmt::print("{}", to_dot(cluster_of(words[0], words[1], environment.catalogue)));
  else if (const auto found = entries_with(words[1], entries_of(words[0], environment));
           !found.empty())
    print(words[0], found);
  else
    print_entry(words[0], words[1], environment);
  return 0;
}

/// A text, though it may read as a number.
config::Value quoted(std::string_view text) {
  config::Value value = config::scalar(text);
  value.quoted = true;
  return value;
}

config::Value descriptions(std::span<const Listing> entries) {
  config::Value all;
  all.kind = config::Value::Kind::map;
  for (const Listing& entry : entries) all.set(entry.name, quoted(entry.description));
  return all;
}

/// Returns the entries of a kind with a line each, or the whole of one.
std::unique_ptr<Outcome> ask(const Arguments& arguments, const Environment& environment) {
  const auto [words, dot] = read_options(arguments, environment);
  if (words.empty()) throw InputError("list needs a kind; there are: " + join(kinds));
  config::Value document;
  if (words.size() == 1)
    document = descriptions(entries_of(words[0], environment));
  else if (is_built_in(words[0]))
    document = descriptions(std::array{built_in(words[0], words[1], environment)});
  else
    document = environment.catalogue.resolve(words[0], named_or_map(words[1]));
  return std::make_unique<DocumentOutcome>(std::move(document));
}

}  // namespace

const Command command::list_command{.name = "list",
                                    .help = help_list,
                                    .run = list,
                                    .ask = ask,
                                    .words = [](const config::Catalogue&) {
                                      return std::vector<std::string>(std::begin(kinds),
                                                                      std::end(kinds));
                                    }};

}  // namespace pipewright::cli
