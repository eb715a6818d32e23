#include "report/page/sweep.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/json.hpp"
#include "report/json/sweep.hpp"
#include "report/page/page.hpp"
#include "report/text/sweep.hpp"
#include "result/objectives.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::ordered_json;

/// Returns what the table says of every run by its rank and its star, for the page.
std::string judgement(const SweepView& view, const SweepRanking& found) {
  Json j = {{"objectives", Json::array()}, {"best_first", Json::array()}};
  for (const std::string& objective : view.objective)
    j["objectives"].push_back({{"name", objective}, {"gain", is_gain(objective)}});
  std::vector<bool> front(found.runs);
  for (const SweepCandidate& candidate : found.candidates) {
    j["best_first"].push_back(candidate.run);
    front[candidate.run] = candidate.front;
  }
  j["front"] = front;
  return dump_json(j);
}

}  // namespace

void write_sweep_html(const SweepView& view, std::ostream& out) {
  std::ostringstream results;
  write_sweep_json(view, results);
  const SweepRanking ranking = ranked(view);
  write_page({.kind = "sweep",
              .title = "Sweep",
              .advice = sweep_advice(view, ranking),
              .results = std::move(results).str(),
              .judgement = judgement(view, ranking)},
             out);
}

}  // namespace pipewright
