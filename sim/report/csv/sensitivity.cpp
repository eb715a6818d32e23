#include "report/csv/sensitivity.hpp"

#include <fmt/format.h>

#include "report/csv/field.hpp"

namespace pipewright {

std::string csv_text(const Sensitivity& sensitivity) {
  std::string text = "resource,factor,iteration_time_s,gain_fraction,feasible,note\n";
  for (const SensitivityRow& row : sensitivity.rows) {
    const std::optional<double> gain =
        row.iteration_time_s ? std::optional(row.gain) : std::nullopt;
    text += fmt::format("{},{},{},{},{},{}\n", csv_field(row.resource), sensitivity_factor,
                        csv_field(row.iteration_time_s), csv_field(gain), row.feasible,
                        csv_field(row.note));
  }
  return text;
}

}  // namespace pipewright
