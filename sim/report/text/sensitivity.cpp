#include "report/text/sensitivity.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
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

std::string json_text(const Sensitivity& s) {
  using Json = nlohmann::ordered_json;
  Json j = {{"schema", "pipewright.sensitivity/1"},
            {"iteration_time_s", s.iteration_time_s},
            {"feasible", s.feasible},
            {"rows", Json::array()}};
  for (const SensitivityRow& row : s.rows) {
    const bool known = row.iteration_time_s.has_value();
    Json one = {{"resource", row.resource},
                {"factor", 1.1},
                {"iteration_time_s", known ? Json(*row.iteration_time_s) : Json(nullptr)},
                {"gain_fraction", known ? Json(row.gain) : Json(nullptr)},
                {"feasible", row.feasible}};
    if (!row.note.empty()) one["note"] = row.note;
    j["rows"].push_back(std::move(one));
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace pipewright
