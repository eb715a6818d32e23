// A forward and a backward that run as one overlapped pair, in the trace of a device.
//
// Their kernels alternate on one stream, as those of short passes do. But their exchanges of tokens
// are hidden, each behind what the other direction computes: that is what such pairs are for
// (DeepSeek-V3, arXiv 2412.19437, section 3.2.1). Which direction an exchange is of no trace says.
#pragma once

#include "diagnose/device_work.hpp"

namespace pipewright::diagnose {

/// Whether nearly all exchanges of tokens run beside kernels, of both directions.
bool is_overlapped_pair(const DeviceWork& work);

}  // namespace pipewright::diagnose
