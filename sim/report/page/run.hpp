// Runs as a page.
#pragma once

#include <ostream>
#include <span>

#include "result/run_result.hpp"

namespace pipewright {

/// This writes a page of one run with its timeline. What is not in `given`, the experiment as it
/// was written, is told as assumed.
void write_html(const Run& run, const config::Value& given, std::ostream& out);
/// This writes a page of schedules side by side, with the timeline of every row that ran.
void write_html(std::span<const Row> rows, std::ostream& out);

}  // namespace pipewright
