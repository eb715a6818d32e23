// Lowers optimizer steps that hosts make for their devices.
#pragma once

#include "program/updates.hpp"

namespace pipewright {

/// Adds the steps of a stage. Gradients leave as they are reduced. The host steps when all are
/// there, as their norm has to be known, part by part; the weights of one part come back while it
/// steps the next.
void step_on_host(ProgramDraft& draft, const Updates& updates, UpdateEndsOf& ends, int step,
                  int stage);

}  // namespace pipewright
