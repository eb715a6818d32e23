#include "report/csv/diagnosis.hpp"

#include <fmt/format.h>

#include "base/number_ranges.hpp"
#include "report/csv/field.hpp"

namespace pipewright {

std::string csv_text(const Diagnosis& diagnosis) {
  std::string text =
      "cause,who,recovered_s,step_fraction,attributed_s,share,remedied_s,gain_p10_s,gain_p90_s,"
      "remedy,devices,at_most\n";
  const double step = mean_step_s(diagnosis);
  for (const Cause& cause : diagnosis.causes)
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{}\n", name_of(cause.kind), csv_field(cause.who),
        csv_field(cause.recovered_s), csv_field(step > 0 ? cause.recovered_s / step : 0),
        csv_field(cause.attributed_s), csv_field(cause.share), csv_field(cause.remedied_s),
        csv_field(cause.gain_p10_s), csv_field(cause.gain_p90_s), csv_field(cause.remedy),
        csv_field(number_ranges(cause.devices)), cause.beyond_peers ? "true" : "");
  return text;
}

}  // namespace pipewright
