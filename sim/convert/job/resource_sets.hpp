// The resource sets of jsrun, by which IBM's Spectrum LSF starts processes.
#pragma once

#include "convert/job/launch.hpp"

namespace pipewright::job {

/// Sets the devices that jsrun's options count, where `launcher` is jsrun; each process has one.
/// Returns false for another launcher. Throws InputError for a number that is not known.
bool read_resource_sets(const std::vector<Word>& launcher, Devices& devices);

}  // namespace pipewright::job
