// A profile's collectives held against measured ones, and against another profile's.
#pragma once

#include "cli/command.hpp"
#include "cost/profile_check.hpp"

namespace pipewright::cli {

/// `text` of `file` is a table op, dtype, ranks, bytes, time_s or a log of nccl-tests, one node.
ProfileCheck check_collectives(const std::string& name, const std::string& text,
                               const std::string& file, const Environment& environment);

/// Returns the changes by operation, of the measured points of two profiles' documents; nothing
/// where one has none, or is compiled in, where they are not.
std::vector<ProfileChange> collective_changes(const config::Value& before,
                                              const config::Value& after);

}  // namespace pipewright::cli
