// The table of a collective as JSON, schema pipewright.collective/1.
#pragma once

#include <string>

#include "network/nccl/collective_table.hpp"

namespace pipewright {

/// The document has a row for each size, in bytes, seconds and bytes per second. The text ends with
/// a newline.
std::string json_text(const CollectiveTable& table);

}  // namespace pipewright
