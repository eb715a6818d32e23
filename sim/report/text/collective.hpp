// The table of a collective: as nccl-tests prints it, as JSON (pipewright.collective/1) and as CSV.
#pragma once

#include <string>

#include "network/nccl/collective_table.hpp"

namespace pipewright {

std::string nccl_tests_text(const CollectiveTable& table);
std::string json_text(const CollectiveTable& table);
std::string csv_text(const CollectiveTable& table);

}  // namespace pipewright
