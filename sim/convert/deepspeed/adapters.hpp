// Low-rank adapters that a program trains in place of the model's weights.
#pragma once

#include "convert/deepspeed/documents.hpp"

namespace pipewright::deepspeed {

/// Adds `adapters` to the experiment where the program's arguments ask for LoRA. Refuses those that
/// stand beside some of the products only.
void read_adapters(Documents& documents, job::Import& import);

}  // namespace pipewright::deepspeed
