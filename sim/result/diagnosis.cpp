#include "result/diagnosis.hpp"

#include <algorithm>
#include <array>

namespace pipewright {

std::string_view name_of(CauseKind kind) {
  constexpr std::array<std::string_view, cause_kinds> names = {
      "worker", "stage", "sequence_lengths", "communication", "host", "bubble", "imbalance"};
  return names[static_cast<size_t>(kind)];
}

std::optional<double> share_of_excess(double recovered_s, double excess_s, bool beyond_peers) {
  if (excess_s <= 0 || recovered_s == 0) return std::nullopt;
  const double share = recovered_s / excess_s;
  if (beyond_peers && share > 1) return std::nullopt;
  return share;
}

std::vector<int> whole_nodes(const Diagnosis& diagnosis, const std::vector<int>& devices) {
  std::vector<int> whole;
  for (size_t node = 0; node < diagnosis.nodes.size(); ++node)
    if (std::ranges::includes(devices, diagnosis.nodes[node]))
      whole.push_back(static_cast<int>(node));
  return whole;
}

double mean_step_s(const Diagnosis& diagnosis) {
  if (diagnosis.steps.empty()) return 0;
  double sum = 0;
  for (const StepFinding& step : diagnosis.steps) sum += step.measured_s;
  return sum / static_cast<double>(diagnosis.steps.size());
}

}  // namespace pipewright
