#include "report/page/plan.hpp"

#include "report/json/plan.hpp"
#include "report/page/page.hpp"
#include "report/text/plan.hpp"

namespace pipewright {

void write_html(const PlanResult& result, std::ostream& out) {
  write_page(
      {.kind = "plan",
       .title = result.proposals.size() == 1 ? "A plan by " + result.proposals.front().planner
                                             : "Plans by several planners",
       .advice = plan_advice(result),
       .results = json_text(result)},
      out);
}

}  // namespace pipewright
