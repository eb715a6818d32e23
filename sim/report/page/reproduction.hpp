// Published claims and what comes out here, as a page.
#pragma once

#include <ostream>
#include <span>

#include "result/reproduction.hpp"

namespace pipewright {

/// This writes a page of all claims. Its title is the publication where there is only one.
void write_html(std::span<const Reproduction> papers, std::ostream& out);

}  // namespace pipewright
