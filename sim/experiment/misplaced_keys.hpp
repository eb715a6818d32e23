// Keys that stand at the top of an experiment though they belong into one of its maps, and the
// short names of degrees that frameworks have.
#pragma once

#include <string>
#include <string_view>

#include "config/value.hpp"

namespace pipewright {

/// Returns the path of the key that frameworks call by a short name ("tp" is "parallel.tensor");
/// empty for other names.
std::string_view key_called(std::string_view short_name);

/// Throws InputError at a key that no experiment has there, where its place is known: "unknown key
/// 'tensor'; it is 'parallel.tensor'".
void refuse_misplaced_keys(const config::Value& document);

}  // namespace pipewright
