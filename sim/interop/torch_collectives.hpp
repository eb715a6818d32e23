// What a trace of PyTorch says of collectives elsewhere than at their kernels.
//
// "record_param_comms" is the range in which a host asks for a collective. It has the arguments
// that kernels have in traces of CUDA and lack in those of ROCm. Before PyTorch 2.1 nothing has
// them, but a range within it has the name: "nccl:all_to_all". "pg_config" around the events has
// the ranks of every process group, of which kernels name no more than some.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "interop/rank_profile.hpp"

namespace pipewright::interop {

/// Gives kernels that were launched within a collective_range and name no collective that of the
/// range. The ranges are gone afterwards.
void name_by_ranges(RankProfile& profile);

/// Completes the ranks and sizes of groups by what `job` ("distributedInfo") says of them.
void complete_groups(const nlohmann::json& job, RankProfile& profile);

}  // namespace pipewright::interop
