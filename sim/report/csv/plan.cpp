#include "report/csv/plan.hpp"

#include <fmt/format.h>

#include "report/csv/field.hpp"

namespace pipewright {

std::string csv_text(const PlanResult& result) {
  std::string text =
      "planner,plan,estimate_s,iteration_time_s,peak_memory_bytes,nodes,devices,feasible,"
      "satisfies,reason,note\n";
  for (const Proposal& p : result.top.empty() ? result.proposals : result.top) {
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(p.planner), csv_field(p.plan),
        csv_field(p.findings.estimate_s), csv_field(p.iteration_time_s),
        p.iteration_time_s ? fmt::format("{:.0f}", p.peak_memory_bytes) : "", p.nodes, p.devices,
        p.feasible, p.satisfies, csv_field(p.reason), csv_field(p.findings.note));
  }
  return text;
}

}  // namespace pipewright
