// The table of a collective, as nccl-tests prints it.
#pragma once

#include <string>

#include "network/nccl/collective_table.hpp"

namespace pipewright {

/// The table has sizes in bytes, times in microseconds and bandwidths in GB/s. A time that was
/// measured stands beside the predicted one, with its error.
std::string nccl_tests_text(const CollectiveTable& table);

}  // namespace pipewright
