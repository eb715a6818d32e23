// What sets two documents apart.
#pragma once

#include <string_view>

#include "config/value.hpp"

namespace pipewright::config {

/// Tells whether two maps have the same text, but for what stands under `key`.
bool same_but_for(const Value& a, const Value& b, std::string_view key);

}  // namespace pipewright::config
