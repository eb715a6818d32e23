#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "config/emit.hpp"
#include "schedule/schedule.hpp"

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
          {"flow", "the same, but what uses a link at one time shares it max-min fairly"}};
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

int list(const Arguments& arguments, const Environment& environment) {
  options::options_description description;
  std::vector<std::string> words;
  description.add_options()("words", options::value(&words));
  parse(arguments, description, "words", 2);
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
  fmt::print("{}", config::to_yaml(environment.catalogue.load(words[0], config::scalar(words[1]))));
  return 0;
}

}  // namespace

const Command command::list_command{"list", help_list, list};

}  // namespace pipewright::cli
