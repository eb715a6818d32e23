// A program of NeMo 2 or NeMo-Run, such as recipe = llm.llama3_8b.pretrain_recipe(num_nodes=1);
// recipe.trainer...; run.run(recipe).
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::nemo {

/// Throws InputError for what is no such program, and for what matters and cannot be said.
job::Import import_program(const job::Source& source);

}  // namespace pipewright::nemo
