#include "report/csv/resharding.hpp"

#include <fmt/format.h>

#include "report/csv/field.hpp"

namespace pipewright {

using resharding::Comparison;
using resharding::Plan;

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
