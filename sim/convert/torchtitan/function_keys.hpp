// Keys of torchtitan's functions that its job files did not have and that decide no key of an
// experiment.
#pragma once

#include <span>

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

/// Returns those keys, and behind them the ones of job files.
std::span<const job::Key> function_keys();

}  // namespace pipewright::torchtitan
