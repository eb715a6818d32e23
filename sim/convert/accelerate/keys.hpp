// Keys of accelerate's configuration that decide no key of an experiment.
#pragma once

#include <span>

#include "convert/job/settings.hpp"

namespace pipewright::accelerate {

std::span<const job::Key> other_keys();

}  // namespace pipewright::accelerate
