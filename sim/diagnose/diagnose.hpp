// Why a job is slow: from the operations that a profiler saw to causes and what each costs.
#pragma once

#include <string>
#include <vector>

#include "diagnose/device_work.hpp"
#include "diagnose/job_trace.hpp"
#include "interop/rank_profile.hpp"
#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// The layers of the model, where somebody knows them: of each stage of the model, or one number
/// for all, which the stages share evenly. Empty: nobody does.
using KnownLayers = std::vector<int>;

/// Diagnoses a job of which these operations are known. `source` names their file in messages.
/// Throws InputError where there is nothing to diagnose.
Diagnosis diagnose_operations(std::vector<TracedOperation> operations, const std::string& source,
                              const KnownLayers& layers = {});

/// The same where more is known of the job than its operations.
Diagnosis diagnose_job(JobTrace trace, const std::string& source, const KnownLayers& layers = {});

/// Diagnoses what a profiler saw on one rank.
Diagnosis diagnose_profile(const RankProfile& profile);

/// The same where it is known already what the device did, and with which operations.
Diagnosis diagnose_profile(const RankProfile& profile, const DeviceWork& work,
                           const std::vector<TracedOperation>& operations);

}  // namespace pipewright::diagnose
