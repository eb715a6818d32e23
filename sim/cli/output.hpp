// Writes outcomes: files that the user named, and the summary on the terminal.
#pragma once

#include "cli/options.hpp"

namespace pipewright::cli {

/// Writes the forms of `outcome` that `outputs` asks for, then its text unless it is not wanted. A
/// folder gets `stem`.json, `stem`.csv, trace.json and report.html, as far as there are such forms.
void write_outcome(const Outcome& outcome, const Outputs& outputs,
                   const std::string& stem = "result");

/// Tells whether write_outcome prints the text of an outcome.
bool prints_text(const Outputs& outputs);

}  // namespace pipewright::cli
