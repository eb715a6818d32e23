#include "report/csv/sweep.hpp"

#include <array>

#include "report/csv/field.hpp"
#include "report/csv/result.hpp"

namespace pipewright {

namespace {

constexpr std::array<const char*, 4> of_devices = {"devices", "idle_devices",
                                                   "samples_per_s_per_device", "data"};

}  // namespace

// A schedule that is varied is the results' own first column.
void write_sweep_csv(const SweepView& view, std::ostream& out) {
  const auto settings = [&](const std::vector<std::string>& row) {
    for (size_t i = 0; i < row.size(); ++i)
      if (view.paths[i] != "schedule") out << csv_field(row[i]) << ',';
  };
  settings(view.paths);
  out << csv_header();
  for (const char* name : of_devices) out << ',' << name;
  out << '\n';
  view.for_each([&](const SweepRun& run) {
    settings(run.settings);
    out << (run.ran() ? run.csv : csv_line(run.schedule, run.reason));
    for (const char* name : of_devices) out << ',' << csv_field(value_of(run, name));
    out << '\n';
  });
}

}  // namespace pipewright
