// Keys of torchtitan that decide no key of an experiment.
#pragma once

#include <span>

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

std::span<const job::Key> other_keys();

}  // namespace pipewright::torchtitan
