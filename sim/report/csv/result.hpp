// Results as CSV: a header and one line a run, numbers in base units. The same runs give the same
// bytes: nothing is said of what the simulator itself took.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "result/run_result.hpp"

namespace pipewright {

/// The header names all columns, the last of them `reason`. It ends without a newline, and so do
/// the lines below it: a study puts its own columns before them.
std::string csv_header();
/// The line has the numbers of a run. A field is empty where the model or the network cannot have
/// such a value.
std::string csv_line(const RunResult& result);
/// The line stands for a run that cannot be: all fields between its schedule and its reason are
/// empty.
std::string csv_line(std::string_view schedule, std::string_view reason);

/// The file has the header and the line of one run.
std::string csv_text(const RunResult& result);
/// The file has the header and a line for each row, in the given order.
std::string csv_text(std::span<const Row> rows);

}  // namespace pipewright
