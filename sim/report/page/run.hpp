// Runs as a page.
#pragma once

#include <ostream>
#include <span>

#include "result/run_result.hpp"

namespace pipewright {

/// This writes a page of one run with its timeline.
void write_html(const Run& run, std::ostream& out);
/// This writes a page of schedules side by side, with the timeline of every row that ran.
void write_html(std::span<const Row> rows, std::ostream& out);

}  // namespace pipewright
