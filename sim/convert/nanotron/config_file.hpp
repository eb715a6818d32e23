// A configuration of nanotron.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::nanotron {

/// Throws InputError for what is no YAML, what is no such configuration, and what matters and
/// cannot be said.
job::Import import_config(const job::Source& source);

}  // namespace pipewright::nanotron
