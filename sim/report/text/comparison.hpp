// Schedules side by side: a table in the order of their time, and which of them to take.
#pragma once

#include <span>

#include "report/text/report.hpp"
#include "result/run_result.hpp"

namespace pipewright {

/// The report is the table and the recommendation. Rows that could not run come last, with their
/// reason.
Report comparison_report(std::span<const Row> rows);

}  // namespace pipewright
