// All mistakes of a study itself, not only the first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study_file.hpp"

namespace pipewright {

/// Returns what can be read of a study, and adds a line to `problems` for each mistake in the rest.
/// Returns nothing where no experiment is left.
std::optional<Study> readable_study(config::Value document, const config::Catalogue& catalogue,
                                    std::vector<std::string>& problems);

}  // namespace pipewright
