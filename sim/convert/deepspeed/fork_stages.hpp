// Stages of a pipeline that DeepSpeed cuts, as Megatron-LM's arguments.
#pragma once

#include "convert/job/launch.hpp"

namespace pipewright::deepspeed {

/// Returns `words` with a layout where the stages do not have the same number of layers. Notes in
/// `import` how they are cut.
std::vector<job::Word> with_megatrons_stages(std::vector<job::Word> words,
                                             const job::Source& source, job::Import& import);

}  // namespace pipewright::deepspeed
