// The groups of members that end an iteration together, and all devices that they stand for.
#pragma once

#include "program/updates.hpp"

namespace pipewright {

using UpdateGroup = std::vector<CompletedMember>;

/// Returns the device of `rank` that stands where the member stands on its own rank.
int32_t device_like(const ProgramDraft& draft, const CompletedMember& member, int rank);

/// Returns a stage's groups along `axis`: of those members that hold the same weights.
std::vector<UpdateGroup> update_groups(const ProgramDraft& draft, const UpdateGroup& completed,
                                       Axis axis);

/// Returns all devices of the group that `group`'s members stand for, simulated or not.
std::vector<int32_t> devices_of(const ProgramDraft& draft, const UpdateGroup& group, Axis axis);

}  // namespace pipewright
