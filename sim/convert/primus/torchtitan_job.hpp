// Jobs of torchtitan that Primus starts.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::primus {

/// Returns what `modules/torchtitan/pre_trainer.yaml` says otherwise than torchtitan does.
config::Value torchtitan_preset();

/// Returns the experiment of `whole`, which has torchtitan's keys and those of Primus, added to
/// `notes`.
job::Import import_torchtitan(config::Value whole, const job::Source& source, job::Import notes);

}  // namespace pipewright::primus
