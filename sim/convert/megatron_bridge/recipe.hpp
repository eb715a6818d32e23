// A recipe of Megatron Bridge as YAML: overrides of a recipe in Python, or a whole configuration.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::megatron_bridge {

/// What a recipe in Python says beside the file is assumed as recipes have it in common. Throws
/// InputError where nothing says the model, and for what matters and cannot be said.
job::Import import_recipe(const job::Source& source);

/// Reads the document of a recipe, in its keys, and adds to `notes` of it. Without a class at its
/// root it stands over what recipes have in common.
job::Import import_document(config::Value root, const job::Source& source, job::Import notes);

}  // namespace pipewright::megatron_bridge
