// Writes results: files that the user named, and the summary on the terminal.
#pragma once

#include <vector>

#include "cli/options.hpp"

namespace pipewright::cli {

/// Writes the outputs of one run that `common` asks for, then the summary unless it is not wanted.
void write_run(const Run& run, const CommonOptions& common);

/// The same for a comparison.
void write_rows(const std::vector<Row>& rows, const CommonOptions& common);

}  // namespace pipewright::cli
