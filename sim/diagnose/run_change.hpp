// What changed between two runs of one job.
#pragma once

#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// The change from `before` to `after`, quantity by quantity. That from `after` to `before` is its
/// negative. Jobs need not be alike; a note says where they are not.
RunChange change_between(const Diagnosis& before, const Diagnosis& after);

}  // namespace pipewright::diagnose
