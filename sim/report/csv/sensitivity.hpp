// What more of each resource would gain as CSV.
#pragma once

#include <string>

#include "result/sensitivity.hpp"

namespace pipewright {

/// The file has a header and one line a resource, the largest gain first: seconds, and gains as
/// fractions. What is not known is empty.
std::string csv_text(const Sensitivity& sensitivity);

}  // namespace pipewright
