// What more of each resource gains, as CSV.
#pragma once

#include <string>

#include "result/sensitivity.hpp"

namespace pipewright {

/// The file has a header and one line a resource, the largest gain first: times in seconds. A field
/// is empty where the cluster with more of the resource cannot be simulated, which `note` explains.
std::string csv_text(const Sensitivity& sensitivity);

}  // namespace pipewright
