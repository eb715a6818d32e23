// TOML as a document. toml++ is known here alone.
#pragma once

#include "config/value.hpp"

namespace pipewright::job {

/// Throws InputError with line and column for what is no TOML.
config::Value read_toml(std::string_view text, const std::string& file);

}  // namespace pipewright::job
