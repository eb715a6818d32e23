// The devices that the launcher `deepspeed` takes of the hosts it knows.
#pragma once

#include <string_view>

#include "convert/job/launch.hpp"

namespace pipewright::deepspeed {

/// Returns the hosts and slots of a hostfile: "worker-1 slots=8" on a line each.
job::World read_hostfile(std::string_view text, const std::string& file);

/// Returns the devices of --include: "worker-1:0,1@worker-2", where a host without numbers has
/// `slots`.
job::World read_include(const job::Word& word, int64_t slots);

}  // namespace pipewright::deepspeed
