#include "study/paper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "config/catalogue.hpp"
#include "network/resharding/plan.hpp"
#include "result/objectives.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

constexpr double largest_figure = 1e15;

/// Reads an alternative; without a name of its own it is called what it sets.
Alternative read_alternative(const Value& value) {
  if (!value.is_map()) value.fail("an alternative maps keys of the experiment to their values");
  Alternative alternative;
  std::string settings;
  for (const config::Entry& entry : value.entries) {
    if (entry.key == "name") {
      alternative.name = config::as_text(entry.value, "a name");
      continue;
    }
    if (entry.key == "printed") {
      alternative.printed = config::as_number(entry.value, 1e-12, largest_figure);
      continue;
    }
    alternative.settings.push_back({entry.key, entry.mark, entry.value});
    settings +=
        fmt::format("{}{}: {}", settings.empty() ? "" : ", ", entry.key, one_line(entry.value));
  }
  if (alternative.name.empty()) alternative.name = settings;
  return alternative;
}

/// A list of maps; one map stands for a list of one.
std::vector<Alternative> read_alternatives(const Value& value) {
  if (value.is_map()) return {read_alternative(value)};
  if (!value.is_list() || value.items.empty())
    value.fail("must be a list of alternatives, each a map of settings");
  std::vector<Alternative> alternatives;
  for (const Value& item : value.items) alternatives.push_back(read_alternative(item));
  return alternatives;
}

std::vector<std::string> read_texts(const Value& value, const char* what) {
  if (!value.is_list()) value.fail(fmt::format("{} must be a list of texts", what));
  std::vector<std::string> texts;
  for (const Value& item : value.items) texts.push_back(config::as_text(item, what));
  return texts;
}

std::vector<Setting> read_vary(const Value& value) {
  if (!value.is_map()) value.fail("vary must map keys to lists of values");
  std::vector<Setting> settings;
  for (const config::Entry& axis : value.entries) {
    if (!axis.value.is_list())
      axis.value.fail(fmt::format("vary: {} needs a list of values", axis.key));
    for (const Value& one : axis.value.items) settings.push_back({axis.key, axis.mark, one});
  }
  return settings;
}

std::string read_quantity(const Value& value) {
  const std::string& name = config::as_text(value, "a quantity");
  const std::vector<std::string_view>& known = judging_names();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    value.fail(fmt::format("'{}' is no result to judge by; one of {}{}", name, join(known),
                           did_you_mean(name, known)));
  }
  return name;
}

std::string read_strategy(const Value& value) {
  std::vector<std::string_view> known;
  for (const resharding::Strategy one : resharding::strategies) known.push_back(name(one));
  const std::string& text = config::as_text(value, "a strategy");
  if (std::find(known.begin(), known.end(), text) == known.end())
    value.fail(fmt::format("'{}' is no strategy; one of {}", text, join(known)));
  return text;
}

ReshardClaim read_reshard(const Value& value) {
  const Fields fields(value, "reshard", {"cluster", "changes", "bytes", "system", "baseline"});
  return {.cluster = fields.at("cluster"),
          .changes = read_texts(fields.at("changes"), "a change of sharding"),
          .bytes = fields.bytes("bytes", GiB),
          .system = read_strategy(fields.at("system")),
          .baseline = read_strategy(fields.at("baseline"))};
}

std::string read_live(const Value& value) {
  const std::string& text = config::as_text(value, "a check");
  if (std::find(live_checks.begin(), live_checks.end(), text) == live_checks.end())
    value.fail(fmt::format("'{}' is no live check; one of {}", text, join(live_checks)));
  return text;
}

/// Of a claimed gain: a claim that comes out at three quarters of it, or at five, still holds.
constexpr double usual_tolerance = 0.25;

/// Tells what the figure rests on where the file does not say. Times that are put in make no
/// simulation of a machine, and a resharding is a closed form.
ClaimBasis read_basis(const Fields& fields) {
  if (const Value* basis = fields.find("basis"))
    return static_cast<ClaimBasis>(config::as_choice(*basis, {"derived", "simulated"}));
  if (fields.find("live")) return ClaimBasis::live;
  if (fields.find("reshard")) return ClaimBasis::derived;
  const Value* experiment = fields.find("experiment");
  const Value* model = experiment && experiment->is_map() ? experiment->find("model") : nullptr;
  const bool synthetic = model && model->is_map() && model->find("synthetic");
  return synthetic ? ClaimBasis::derived : ClaimBasis::simulated;
}

Sense read_sense(const Fields& fields) {
  const Value* sense = fields.find("sense");
  if (!sense) return Sense::about;
  return static_cast<Sense>(config::as_choice(*sense, {"about", "up-to", "at-least"}));
}

ClaimResult read_stated(const Fields& fields) {
  constexpr double largest = 1e6;
  ClaimResult stated;
  stated.name = config::as_text(fields.at("name"), "a name");
  stated.claim = config::as_text(fields.at("claim"), "a claim");
  stated.source = fields.text("source", "");
  stated.says = config::as_number(fields.at("says"), 1e-6, largest);
  stated.sense = read_sense(fields);
  stated.basis = read_basis(fields);
  stated.tolerance = usual_tolerance;
  if (const Value* tolerance = fields.find("tolerance"))
    stated.tolerance = config::as_fraction(*tolerance, 0, 1);
  stated.expected = static_cast<Verdict>(
      config::as_choice(fields.at("verdict"), {"reproduced", "contradicted", "not-testable"}));
  stated.because = fields.text("because", "");
  if (const Value* assumptions = fields.find("assumptions"))
    stated.assumptions = read_texts(*assumptions, "an assumption");
  return stated;
}

/// Reads what is set against what: two systems, or a system and what its source prints of it.
void read_sides(const Fields& fields, Claim& claim) {
  claim.system = read_alternatives(fields.at("system"));
  claim.cases = {{}};
  if (const Value* cases = fields.find("cases")) claim.cases = read_alternatives(*cases);
  const auto is_printed = [](const Alternative& one) { return one.printed.has_value(); };
  const Value* baseline = fields.find("baseline");
  const bool all = std::ranges::all_of(claim.cases, is_printed);
  if (all && baseline) baseline->fail("the cases have printed figures, which are the baseline");
  if (all) return;
  if (std::ranges::any_of(claim.cases, is_printed))
    fields.at("cases").fail("either all cases have a printed figure or none has");
  claim.baseline = read_alternatives(fields.at("baseline"));
}

Claim read_claim(const Value& value, const config::Catalogue& catalogue) {
  const Fields fields(value, "a claim",
                      {"name", "claim", "source", "says", "sense", "tolerance", "basis", "quantity",
                       "experiment", "system", "baseline", "cases", "assumptions", "vary",
                       "reshard", "live", "frontier_of", "verdict", "because"});
  Claim claim{.stated = read_stated(fields)};
  claim.stated.quantity = "time";
  if (const Value* reshard = fields.find("reshard")) {
    claim.reshard = read_reshard(*reshard);
    return claim;
  }
  if (const Value* live = fields.find("live")) {
    claim.live = read_live(*live);
    claim.stated.quantity = "figure";
    return claim;
  }
  const Value* experiment = fields.find("experiment");
  if (!experiment) {
    if (claim.stated.expected != Verdict::not_testable)
      value.fail("a claim that is put to the test needs an experiment, reshard or live");
    return claim;
  }
  claim.experiment = catalogue.resolve("experiments", *experiment);
  if (const Value* planner = fields.find("frontier_of")) {
    claim.frontier_of = config::as_text(*planner, "a planner");
    claim.stated.quantity = "time_and_memory";
    return claim;
  }
  claim.stated.quantity = "iteration_time_s";
  if (const Value* quantity = fields.find("quantity"))
    claim.stated.quantity = read_quantity(*quantity);
  read_sides(fields, claim);
  if (const Value* vary = fields.find("vary")) claim.vary = read_vary(*vary);
  return claim;
}

}  // namespace

Paper read_paper(const std::string& name, const Value& value, const config::Catalogue& catalogue) {
  const Fields fields(value, "a paper", {"description", "source", "feature", "claims"});
  Paper paper{.name = name,
              .description = fields.text("description", ""),
              .source = config::as_text(fields.at("source"), "a source"),
              .feature = fields.text("feature", "")};
  const Value& claims = fields.at("claims");
  if (!claims.is_list() || claims.items.empty()) claims.fail("'claims' must be a list of claims");
  for (const Value& claim : claims.items) paper.claims.push_back(read_claim(claim, catalogue));
  return paper;
}

}  // namespace pipewright
