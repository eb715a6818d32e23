#include "report/page/plan.hpp"

#include "report/json/plan.hpp"
#include "report/page/page.hpp"
#include "report/text/plan.hpp"

namespace pipewright {

namespace {

/// What a search kept beside its proposal is shown beside it.
std::vector<Proposal> candidates_of(const PlanResult& result) {
  std::vector<Proposal> all;
  for (const Proposal& proposal : result.proposals) {
    all.push_back(proposal);
    all.insert(all.end(), proposal.runners_up.begin(), proposal.runners_up.end());
  }
  return all;
}

}  // namespace

void write_html(const PlanResult& result, std::ostream& out) {
  write_page(
      {.kind = "plan",
       .title = result.proposals.size() == 1 ? "A plan by " + result.proposals.front().planner
                                             : "Plans by several planners",
       .advice = plan_advice(result),
       .results = json_text(result),
       .judgement = json_text(candidates_of(result))},
      out);
}

}  // namespace pipewright
