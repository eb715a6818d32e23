// Keys of GPT-NeoX that decide no key of an experiment.
#pragma once

#include <span>

#include "convert/job/settings.hpp"

namespace pipewright::neox {

std::span<const job::Key> keys();

}  // namespace pipewright::neox
