#include "study/reproduce.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/tell.hpp"
#include "cli/help.hpp"
#include "cli/live.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "report/csv/reproduction.hpp"
#include "report/io/atomic_file.hpp"
#include "report/json/reproduction.hpp"
#include "report/page/reproduction.hpp"
#include "report/text/reproduction.hpp"
#include "report/text/table.hpp"
#include "search/frontier_claim.hpp"

namespace pipewright::cli {
namespace {

constexpr size_t columns = 100;

struct Wanted {
  std::string paper, json, csv, html;
  bool all = false, quiet = false;
  ReproduceOptions options;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  auto add = description.add_options();
  add("paper", options::value(&wanted.paper));
  add("all", options::bool_switch(&wanted.all));
  add("vary", options::bool_switch(&wanted.options.vary));
  add("json", options::value(&wanted.json));
  add("csv", options::value(&wanted.csv));
  add("html", options::value(&wanted.html));
  add("jobs", options::value(&wanted.options.jobs)->default_value(0));
  add("quiet,q", options::bool_switch(&wanted.quiet));
  parse(arguments, description, "paper", 1);
  if (wanted.all && !wanted.paper.empty())
    throw InputError("reproduce takes a PAPER or --all, not both");
  if (wanted.options.jobs < 0) throw InputError("--jobs must not be below zero");
  return wanted;
}

/// Worked out by pipewright-live.
std::vector<ClaimCase> live_cases(const std::string& check) {
  std::vector<ClaimCase> cases;
  const nlohmann::json measured = parse_json(output_of_live({"claim", check}));
  ensure(measured.is_array(), "pipewright-live claim writes a list");
  for (const nlohmann::json& one : measured) {
    cases.push_back({.name = one.at("name"),
                     .system = one.at("system"),
                     .baseline = one.at("baseline"),
                     .system_value = one.at("system_value").get<double>(),
                     .baseline_value = one.at("baseline_value").get<double>()});
  }
  return cases;
}

Paper load(const std::string& name, const config::Catalogue& catalogue) {
  if (config::is_path(name)) return read_paper(name, config::parse_file(name), catalogue);
  return read_paper(name, catalogue.load("papers", config::scalar(name)), catalogue);
}

int list_papers(const config::Catalogue& catalogue) {
  std::vector<std::vector<std::string>> rows;
  for (const config::Listing& one : catalogue.list("papers"))
    rows.push_back({one.name, one.description});
  size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row[0].size());
  for (const auto& row : rows) fmt::print("{:<{}}  {}\n", row[0], width, row[1]);
  return 0;
}

/// Tells whether every verdict is the one that the paper's file states.
bool as_stated(const std::vector<Reproduction>& all) {
  return std::all_of(all.begin(), all.end(), [](const Reproduction& paper) {
    return std::all_of(paper.claims.begin(), paper.claims.end(),
                       [](const ClaimResult& claim) { return claim.verdict == claim.expected; });
  });
}

int reproduce_papers(const Arguments& arguments, const Environment& environment) {
  Wanted wanted = read_options(arguments);
  if (!wanted.all && wanted.paper.empty()) return list_papers(environment.catalogue);
  std::vector<std::string> names = {wanted.paper};
  if (wanted.all) names = environment.catalogue.names("papers");
  std::vector<Paper> papers;
  size_t claims = 0;
  for (const std::string& name : names) {
    papers.push_back(load(name, environment.catalogue));
    claims += papers.back().claims.size();
  }
  if (isatty(STDERR_FILENO)) {
    wanted.options.progress = [claims](size_t done) {
      tell("\r{} of {} claims{}", done, claims, done == claims ? "\r\033[K" : "");
    };
  }
  wanted.options.live = live_cases;
  wanted.options.plan = [&](const config::Value& experiment, const std::string& planner) {
    const search::Problem problem{.experiment = experiment,
                                  .catalogue = environment.catalogue,
                                  .run = {},
                                  .limits = {},
                                  .schedules = {},
                                  .jobs = 1};
    return search::frontier_against_all(problem, planner);
  };
  const std::vector<Reproduction> all = reproduce(papers, environment.catalogue, wanted.options);
  if (!wanted.json.empty()) write_file(wanted.json, json_text(all));
  if (!wanted.csv.empty()) write_file(wanted.csv, csv_text(all));
  if (!wanted.html.empty())
    write_file(wanted.html, [&](std::ostream& out) { write_html(all, out); });
  if (!wanted.quiet && wanted.json != "-" && wanted.csv != "-" && wanted.html != "-")
    fmt::print("{}", wanted.all ? claims_table(all) : claims_in_full(all.front(), columns));
  return as_stated(all) ? 0 : 1;
}

}  // namespace

const Command command::reproduce_command{
    .name = "reproduce",
    .help = help_reproduce,
    .run = reproduce_papers,
    .words = [](const config::Catalogue& catalogue) { return catalogue.names("papers"); }};

}  // namespace pipewright::cli
