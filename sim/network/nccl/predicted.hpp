// Predictions for measured points, and how far off they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interop/nccl_points.hpp"
#include "network/nccl/time.hpp"

namespace pipewright {

/// Nothing for send_recv.
std::optional<CollectiveKind> kind_of(const interop::NcclPoint& point);

/// Throws InputError at `file`, which they are of, where one is neither a collective that is
/// modelled nor send_recv.
void require_model(const std::vector<interop::NcclPoint>& points, const std::string& file);

/// A point of one node, whose ring has the links that the profile was measured over.
NcclRequest request_of(const CollectiveProfile& profile, const interop::NcclPoint& point);
double predicted_s(const CollectiveProfile& profile, const interop::NcclPoint& point);

/// Median and 95th percentile of the sizes of relative errors.
HeldOut summary_of(std::vector<double> errors);

}  // namespace pipewright
