// What more of each resource would gain, as a page.
#pragma once

#include <ostream>

#include "result/sensitivity.hpp"

namespace pipewright {

/// This writes a page with a bar for each resource, the largest gain first.
void write_html(const Sensitivity& sensitivity, std::ostream& out);

}  // namespace pipewright
