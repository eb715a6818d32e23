// Schedules side by side: a table in the order of their time, and which of them to take.
#pragma once

#include <span>
#include <string>

#include "result/run_result.hpp"

namespace pipewright {

/// The text is the table and the recommendation. Rows that could not run come last, with their
/// reason.
std::string comparison(std::span<const Row> rows);

}  // namespace pipewright
