#include "report/json/sensitivity.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/json/document.hpp"
#include "report/json/layout.hpp"

namespace pipewright {

std::string json_text(const Sensitivity& s) {
  using Json = nlohmann::ordered_json;
  Json j = {{"schema", "pipewright.sensitivity/1"},
            {"experiment", document_json(s.experiment.value())},
            {"iteration_time_s", s.iteration_time_s},
            {"uncertainty", range_or_null(s.range)},
            {"feasible", s.feasible},
            {"rows", Json::array()}};
  if (s.seeds > 0) j["seeds"] = s.seeds;
  for (const SensitivityRow& row : s.rows) {
    const bool known = row.iteration_time_s.has_value();
    Json one = {{"resource", row.resource},
                {"factor", row.factor},
                {"iteration_time_s", known ? Json(*row.iteration_time_s) : Json(nullptr)},
                {"gain_fraction", known ? Json(row.gain) : Json(nullptr)},
                {"feasible", row.feasible}};
    if (!row.note.empty()) one["note"] = row.note;
    j["rows"].push_back(std::move(one));
  }
  return dump_json(j, 2) + '\n';
}

}  // namespace pipewright
