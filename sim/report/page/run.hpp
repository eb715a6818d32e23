// Runs as a page.
#pragma once

#include <ostream>
#include <span>

#include "result/drawn.hpp"
#include "result/run_result.hpp"

namespace pipewright {

/// This writes a page of one run with its timeline and what is `drawn` of it. What is not in
/// `given`, the experiment as it was written, is told as assumed.
void write_html(const Run& run, const Drawn& drawn, const config::Value& given, std::ostream& out);
/// This writes a page of schedules side by side, with the timeline of every row that ran and what
/// is `drawn` of it, row by row.
void write_html(std::span<const Row> rows, std::span<const Drawn> drawn, std::ostream& out);

}  // namespace pipewright
