#include "report/text/resharding.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace pipewright {

using resharding::Comparison;
using resharding::Plan;

Report resharding_report(const Comparison& all, const std::string& what) {
  TableRows rows = {{"strategy", "balance", "time", "ratio"}};
  const double reference = in_seconds(all.reference());
  for (const Plan& plan : all.plans) {
    const double ratio = reference > 0 ? in_seconds(plan.time) / reference : 1;
    rows.push_back({std::string(name(plan.strategy)), std::string(name(plan.balance)),
                    human_time(in_seconds(plan.time)), fmt::format("{:.2f}", ratio)});
  }
  const std::string title =
      fmt::format("{}, {}", what, human_bytes(static_cast<double>(all.bytes.count)));
  return Report()
      .heading(title, title + '\n')
      .table(std::move(rows), 2)
      .lines(fmt::format("lower bound {}; ratios are to broadcast, balanced by order\n",
                         human_time(in_seconds(all.bound))));
}

}  // namespace pipewright
