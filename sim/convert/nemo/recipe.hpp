// A recipe of NeMo 2 as NeMo-Run writes it (--to-yaml): classes by _target_ and what they are
// given.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::nemo {

/// Tells whether a document is a recipe: a call of nemo.collections.llm.
bool is_recipe(const config::Value& root);

/// Throws InputError where neither the recipe nor the user says the model, and for what matters and
/// cannot be said.
job::Import import_recipe(const job::Source& source);

/// Reads the document of a recipe, and adds to `notes` of it.
job::Import import_document(config::Value root, const job::Source& source, job::Import notes);

}  // namespace pipewright::nemo
