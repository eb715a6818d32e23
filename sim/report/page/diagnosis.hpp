// A diagnosis as a page.
#pragma once

#include <ostream>

#include "result/diagnosis.hpp"

namespace pipewright {

/// This writes a page: measured above simulated above ideal, the causes as a waterfall, the ranks
/// as a heat map.
void write_html(const Diagnosis& diagnosis, std::ostream& out);

}  // namespace pipewright
