// What an experiment took by default, for pages.
#pragma once

#include <string>

#include "config/value.hpp"

namespace pipewright {

/// The text is JSON: [{key, value, matters}] of the keys of `experiment` that are not in `given`,
/// those that matter most first. It is empty where there are none.
std::string assumed_json(const config::Value& experiment, const config::Value& given);

}  // namespace pipewright
