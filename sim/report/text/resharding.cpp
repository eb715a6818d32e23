#include "report/text/resharding.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/csv/result.hpp"
#include "report/text/table.hpp"

namespace pipewright {

using resharding::Comparison;
using resharding::Plan;

std::string resharding_text(const Comparison& all, const std::string& what) {
  std::vector<std::vector<std::string>> rows = {{"strategy", "balance", "time", "ratio"}};
  const double reference = in_seconds(all.reference());
  for (const Plan& plan : all.plans) {
    const double ratio = reference > 0 ? in_seconds(plan.time) / reference : 1;
    rows.push_back({std::string(name(plan.strategy)), std::string(name(plan.balance)),
                    human_time(in_seconds(plan.time)), fmt::format("{:.2f}", ratio)});
  }
  return fmt::format("{}, {}\n", what, human_bytes(static_cast<double>(all.bytes.count))) +
         aligned(rows, 2) +
         fmt::format("lower bound {}; ratios are to broadcast, balanced by order\n",
                     human_time(in_seconds(all.bound)));
}

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
  return document.dump(2) + "\n";
}

std::string resharding_csv(const Comparison& all, const std::string& what) {
  std::string text = "reshard,bytes,lower_bound_s,strategy,balance,time_s\n";
  for (const Plan& plan : all.plans) {
    text +=
        fmt::format("{},{},{},{},{},{}\n", csv_field(what), all.bytes.count, in_seconds(all.bound),
                    name(plan.strategy), name(plan.balance), in_seconds(plan.time));
  }
  return text;
}

}  // namespace pipewright
