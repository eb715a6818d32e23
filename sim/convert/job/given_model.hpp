// The model that a user gives beside a job which does not say its sizes.
#pragma once

#include <optional>

#include "convert/job/job.hpp"

namespace pipewright::job {

/// Returns the transformer that --model names, that a further file describes as Hugging Face does,
/// or that comments of ours say; nothing where none is given. Throws InputError for a model that is
/// no transformer.
std::optional<config::Value> given_transformer(const Source& source);

/// Returns that transformer with the length of the sequences that it was trained with, as a
/// `model`. A model that has none says none.
std::optional<config::Value> given_model(const Source& source);

/// Returns the `constants` of that model; null where it says none.
config::Value given_constants(const Source& source);

/// Notes that sequences are as long as the experiment's model has them. Throws InputError where the
/// model does not say it.
void take_models_sequence(const Source& source, Import& import);

}  // namespace pipewright::job
