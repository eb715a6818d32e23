#include "report/csv/sweep.hpp"

#include "report/csv/field.hpp"
#include "report/csv/result.hpp"

namespace pipewright {

// A schedule that is varied is the results' own first column.
void write_sweep_csv(const SweepView& view, std::ostream& out) {
  const auto settings = [&](const std::vector<std::string>& row) {
    for (size_t i = 0; i < row.size(); ++i)
      if (view.paths[i] != "schedule") out << csv_field(row[i]) << ',';
  };
  settings(view.paths);
  out << csv_header() << '\n';
  view.for_each([&](const SweepRun& run) {
    settings(run.settings);
    out << run.csv << '\n';
  });
}

}  // namespace pipewright
