// The lines of a summary: a label each, and what it says.
#pragma once

#include <string>

#include "report/text/report.hpp"

namespace pipewright {

/// The column at which the texts of a summary begin.
constexpr size_t summary_indent = 18;

/// The line ends with a newline. One whose label is empty goes on with the line above.
std::string summary_line(const char* label, const std::string& text);

/// Returns the labels and texts of lines, without a name above them.
TableRows summary_rows(std::string_view lines);

}  // namespace pipewright
