// All mistakes of a study itself, not only the first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study_file.hpp"

namespace pipewright {

/// Returns the study without what is wrong, and adds a line to `problems` for each mistake. Returns
/// nothing where its runs are not known without that, such as where a key of 'vary' is wrong.
std::optional<Study> readable_study(config::Value document, const config::Catalogue& catalogue,
                                    std::vector<std::string>& problems);

}  // namespace pipewright
