// Kernels of several ranks as those of one.
#pragma once

#include <vector>

#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// Returns kernels by their names, the mean over ranks, of which each has its list in `ranks`. A
/// rank that does not run a kernel takes no time for it.
std::vector<KernelNameTime> mean_kernels(const std::vector<std::vector<KernelNameTime>>& ranks);

}  // namespace pipewright::diagnose
