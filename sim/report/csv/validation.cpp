#include "report/csv/validation.hpp"

#include <fmt/format.h>

#include "report/csv/field.hpp"

namespace pipewright {
namespace {

std::string truth(const std::optional<bool>& value) {
  return value ? (*value ? "true" : "false") : "";
}

}  // namespace

std::string csv_text(const Validation& validation) {
  std::string text =
      "name,group,predicted_iteration_time_s,iteration_time_s,predicted_samples_per_s,"
      "samples_per_s,error,predicted_peak_memory_bytes,peak_memory_bytes,memory_error,"
      "predicted_feasible,feasible,reason\n";
  for (const ValidationRun& run : validation.runs) {
    const Outcome predicted = run.predicted.value_or(Outcome{});
    const Outcome& measured = run.measured;
    const std::string cells[] = {csv_field(run.name),
                                 csv_field(run.group),
                                 csv_field(predicted.iteration_time_s),
                                 csv_field(measured.iteration_time_s),
                                 csv_field(predicted.samples_per_s),
                                 csv_field(measured.samples_per_s),
                                 csv_field(run.error()),
                                 csv_field(predicted.peak_memory_bytes),
                                 csv_field(measured.peak_memory_bytes),
                                 csv_field(run.memory_error()),
                                 truth(predicted.feasible),
                                 truth(measured.feasible),
                                 csv_field(run.reason)};
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace pipewright
