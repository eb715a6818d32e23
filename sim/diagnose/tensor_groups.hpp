// Which groups of neighbouring ranks are tensors, where no description says so.
//
// Ranks of one tensor are neighbours, but where there is no tensor parallelism those of data are
// neighbours, too. Tensors are summed in every forward pass. Gradients are summed in backward
// passes and after them; in a forward pass data ranks sum a loss at most, and gather weights.
#pragma once

#include <vector>

#include "diagnose/device_work.hpp"

namespace pipewright::diagnose {

/// Takes groups that sum less than a tenth of their bytes in forward passes for data. Where nothing
/// is known of backward passes, all stay what they are.
void tell_tensors_from_data(const RankProfile& profile, std::vector<DeviceOp>& ops);

}  // namespace pipewright::diagnose
