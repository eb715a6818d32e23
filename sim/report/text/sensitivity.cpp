#include "report/text/sensitivity.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/text/numbers.hpp"
#include "report/text/table.hpp"

namespace pipewright {

std::string sensitivity_text(const Sensitivity& s) {
  std::vector<std::vector<std::string>> rows = {
      {"10 % more of", "gains", "iteration", "fits", "note"}};
  for (const SensitivityRow& row : s.rows) {
    rows.push_back({row.resource, row.iteration_time_s ? percent(row.gain) : "-",
                    row.iteration_time_s ? human_time(*row.iteration_time_s) : "-",
                    row.feasible ? "yes" : "NO", row.note});
  }
  return fmt::format("An iteration takes {}{}. For latency, more is less.\n\n",
                     human_time(s.iteration_time_s), s.feasible ? "" : " and does not fit") +
         aligned(rows);
}

}  // namespace pipewright
