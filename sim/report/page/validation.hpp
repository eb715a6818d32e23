// Predictions held against measurements, as a page.
#pragma once

#include <ostream>

#include "result/validation.hpp"

namespace pipewright {

/// This writes a page of all runs and groups.
void write_html(const Validation& validation, std::ostream& out);

}  // namespace pipewright
