// Lowers activations that wait for their backward in another rank's memory.
#pragma once

#include "program/program_draft.hpp"

namespace pipewright {

/// Adds the copies of all evictions of a member, once all passes are there.
void connect_evictions(ProgramDraft& draft, uint32_t member);

}  // namespace pipewright
