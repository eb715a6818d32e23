// Results as CSV: a header and one line a run, numbers in base units, fields quoted as RFC 4180
// says. The same runs give the same bytes: nothing is said of what the simulator itself took.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "result/run_result.hpp"

namespace pipewright {

/// All columns, the last of them `reason`. Each of these ends without a newline, so that a study
/// can put its own columns before them.
std::string csv_header();
/// A run; an empty field is a value that the model or the network cannot have.
std::string csv_line(const RunResult& result);
/// A run that cannot be: all fields between its schedule and its reason are empty.
std::string csv_line(std::string_view schedule, std::string_view reason);

/// `text`, in quotes where it holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);

/// The whole file of one run.
std::string csv_text(const RunResult& result);
/// The whole file of several, in the given order.
std::string csv_text(std::span<const Row> rows);

}  // namespace pipewright
