// A traced job as a pipeline of given times, which an experiment can say.
//
// The time of a pass is its mean over steps and micro-batches, of the data ranks that are not slow.
// Those that take longer are stragglers: each is held against the others, median against median.
// Messages take their median, those of slow links their own. What a rank does besides passes and
// messages is its update. Chunk c of rank r is stage c p + r, as Megatron-LM lays them out. Ranks
// that the trace lacks are like the mean of those that it has. Micro-batches of unequal length and
// late hosts are not kept.
#pragma once

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {

RebuiltJob rebuilt_job(const Evidence& evidence, const std::string& schedule);

/// The job as an experiment, YAML. Throws InputError for what has none: an order of passes that no
/// schedule has.
std::string experiment_of(const Diagnosis& diagnosis);

}  // namespace pipewright::diagnose
