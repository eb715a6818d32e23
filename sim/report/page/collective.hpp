// Times of a collective by size, as a page.
#pragma once

#include <ostream>
#include <string>

#include "network/nccl/collective_table.hpp"

namespace pipewright {

/// This writes a page with time and bus bandwidth over the size. `command` asks the same again.
void write_html(const CollectiveTable& table, const std::string& command, std::ostream& out);

}  // namespace pipewright
