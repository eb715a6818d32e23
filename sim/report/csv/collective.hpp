// The table of a collective as CSV.
#pragma once

#include <string>

#include "network/nccl/collective_table.hpp"

namespace pipewright {

/// The file has a header and one line a size, in bytes, seconds and bytes per second.
std::string csv_text(const CollectiveTable& table);

}  // namespace pipewright
