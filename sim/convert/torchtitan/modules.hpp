// The modules of each stage by name, as parallelism.module_fqns_per_model_part has them.
#pragma once

#include <vector>

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

/// Returns the layers of each stage of `parts`, a list of lists of names. Throws InputError for
/// what is none of them, and for layers out of order.
std::vector<int> read_modules(const config::Value& parts, int64_t layers);

/// Returns the names of the modules of each stage as a list of lists in TOML.
std::string module_names(const std::vector<int>& counts);

}  // namespace pipewright::torchtitan
