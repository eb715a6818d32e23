// NCCL's own model of itself in place of a measurement.
#pragma once

#include <string>

#include "network/nccl/profile.hpp"

namespace pipewright {

/// Returns a profile whose latencies and rates are those by which NCCL chooses: what a device that
/// nobody measured does between nodes, where the NICs and the fabric decide. `nvlink`: its links
/// inside a node are NVLink or xGMI, else PCIe.
CollectiveProfile modelled_profile(std::string device, const NcclTuning& tuning, bool nvlink);

/// Returns what stands for a device that nobody measured and that names a tuning: over NVLink what
/// was measured on the device that the tuning names, else modelled_profile(). Throws InputError.
CollectiveProfile unmeasured_profile(const std::string& device, const std::string& tuning,
                                     bool nvlink, const config::Catalogue& catalogue);

}  // namespace pipewright
