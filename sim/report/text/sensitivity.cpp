#include "report/text/sensitivity.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/text/draws.hpp"
#include "report/text/numbers.hpp"

namespace pipewright {

Report sensitivity_report(const Sensitivity& s) {
  TableRows rows = {{"10 % more of", "gains", "iteration", "fits", "note"}};
  for (const SensitivityRow& row : s.rows) {
    rows.push_back({row.resource, row.iteration_time_s ? percent(row.gain) : "-",
                    row.iteration_time_s ? human_time(*row.iteration_time_s) : "-",
                    row.feasible ? "yes" : "NO", row.note});
  }
  return Report()
      .heading("Ten per cent more of each resource")
      .lines(fmt::format("An iteration takes {}{}. For latency, more is less.\n{}\n",
                         human_time(s.iteration_time_s), s.feasible ? "" : " and does not fit",
                         draws_line(s.seeds)))
      .table(std::move(rows));
}

std::string sensitivity_advice(const Sensitivity& s) {
  constexpr double worth_saying = 0.0005;
  std::vector<const SensitivityRow*> best;
  for (const SensitivityRow& row : s.rows)
    if (row.iteration_time_s && row.gain >= worth_saying && best.size() < 2) best.push_back(&row);
  if (best.empty()) return "Ten per cent more of any one resource gain nothing.";
  std::string text =
      fmt::format("Ten per cent more {} gain most: {}, {} in place of {}.", best[0]->resource,
                  percent(best[0]->gain), human_time(best[0]->iteration_time_s.value_or(0)),
                  human_time(s.iteration_time_s));
  if (best.size() > 1)
    text += fmt::format(" Next comes {} with {}.", best[1]->resource, percent(best[1]->gain));
  return text;
}

}  // namespace pipewright
