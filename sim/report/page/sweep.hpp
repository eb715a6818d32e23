// A sweep as a page.
#pragma once

#include <ostream>

#include "report/ranking/sweep.hpp"

namespace pipewright {

/// This writes a page of all runs, with the order and the front that the table shows.
void write_sweep_html(const SweepView& view, std::ostream& out);

}  // namespace pipewright
