#include "report/json/resharding.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"

namespace pipewright {

using resharding::Comparison;
using resharding::Plan;

std::string resharding_json(const Comparison& all, const std::string& what) {
  nlohmann::ordered_json document;
  document["schema"] = "pipewright.reshard/1";
  document["reshard"] = what;
  document["bytes"] = all.bytes.count;
  document["lower_bound_s"] = in_seconds(all.bound);
  document["plans"] = nlohmann::ordered_json::array();
  for (const Plan& plan : all.plans) {
    nlohmann::ordered_json row;
    row["strategy"] = name(plan.strategy);
    row["balance"] = name(plan.balance);
    row["time_s"] = in_seconds(plan.time);
    document["plans"].push_back(std::move(row));
  }
  return dump_json(document, 2) + "\n";
}

}  // namespace pipewright
