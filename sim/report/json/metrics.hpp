// The parts of a result that its timeline tells, as JSON. Times are in seconds, sizes in bytes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "result/result.hpp"

namespace pipewright {

/// The object has all keys of a rank.
nlohmann::ordered_json json_of(const RankResult& rank);
/// The object has every place of the accounts.
nlohmann::ordered_json json_of(const Breakdown& breakdown);
/// Adds `layers`, `kernels` and, where it was asked for, `if_free`.
void add_detail(const ComputeDetail& detail, nlohmann::ordered_json& j);
/// The object has the period and of how many iterations it was measured.
nlohmann::ordered_json json_of(const SteadyState& steady);
/// The object says how long what ran on the path; traffic with the host stands there only where
/// there is any.
nlohmann::ordered_json json_of(const CriticalPath& path);
/// The object has the times that no order could beat.
nlohmann::ordered_json json_of(const Bounds& bounds);
/// The object has one for each kind of traffic; that with the host stands there only where there is
/// any.
nlohmann::ordered_json communication_of(const Metrics& metrics);

/// A sum of bytes is a double, because it may be larger than an integer. It becomes an integer
/// where one holds it.
nlohmann::ordered_json whole(double bytes);

}  // namespace pipewright
