// A profile's collectives held against measured ones.
#pragma once

#include "cli/command.hpp"
#include "cost/profile_check.hpp"

namespace pipewright::cli {

/// `text` of `file` is a table op, dtype, ranks, bytes, time_s or a log of nccl-tests, one node.
ProfileCheck check_collectives(const std::string& name, const std::string& text,
                               const std::string& file, const Environment& environment);

}  // namespace pipewright::cli
