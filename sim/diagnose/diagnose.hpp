// Why a job is slow: from the operations that a profiler saw to causes and what each costs.
#pragma once

#include <string>
#include <vector>

#include "interop/operation_table.hpp"
#include "interop/torch_profile.hpp"
#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// Diagnoses a job of which these operations are known. `source` names their file in messages.
/// Throws InputError where there is nothing to diagnose.
Diagnosis diagnose_operations(std::vector<TracedOperation> operations, const std::string& source);

/// Diagnoses what the profiler of PyTorch saw on one rank.
Diagnosis diagnose_profile(const TorchProfile& profile);

}  // namespace pipewright::diagnose
