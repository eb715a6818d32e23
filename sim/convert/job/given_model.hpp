// The model that a user gives beside a job which does not say its sizes.
#pragma once

#include <optional>

#include "convert/job/job.hpp"

namespace pipewright::job {

/// Returns the transformer that --model names, or that a further file describes as Hugging Face
/// does; nothing where neither is given. Throws InputError for a model that is no transformer.
std::optional<config::Value> given_transformer(const Source& source);

}  // namespace pipewright::job
