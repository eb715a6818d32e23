// The presets of Primus that a configuration names: a trainer's and a model's, each of which may
// extend others.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::primus {

/// Returns what `pre_trainer.yaml` says that changes the time of a step, as Primus has it.
config::Value trainer_preset();

/// Returns the preset that the scalar `name` names, over those that it extends. Throws InputError
/// where one of them is not among the files that are given or lie beside the job.
config::Value read_preset(const job::Source& source, const config::Value& name,
                          const std::string& folder);

/// Tells whether the preset itself is there: given, beside the job, or in its checkout of Primus.
bool has_preset(const job::Source& source, const config::Value& name, const std::string& folder);

}  // namespace pipewright::primus
