// What a trace tells of a job, whichever program wrote it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "diagnose/pass_windows.hpp"
#include "diagnose/tensor_ranks.hpp"
#include "interop/operation_table.hpp"
#include "result/accounts/breakdown.hpp"
#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// By rank of a pipeline and chunk, the stage of the model that it is. Empty: chunk c of rank r of
/// p is stage c p + r, as Megatron-LM lays them out.
using Placement = std::vector<std::vector<int32_t>>;

/// By data rank, stage and the number of the iteration: the communication within passes that
/// nothing hides, by the pass that it is a part of and by what it is.
using WithinPasses = std::map<std::tuple<int32_t, int32_t, int32_t>, Breakdown>;

/// By data rank, stage and step, how long the step of the rank lasts.
using StepLengths = std::map<std::tuple<int32_t, int32_t, int32_t>, Time>;

/// What a trace tells of a rank besides its operations.
struct RankFacts {
  int32_t device = -1;         ///< -1: it does not say
  std::vector<int> group{};    ///< the devices of its tensor and context group, itself included
  int32_t devices = 1;         ///< that are like it, itself included, and of which it has this one
  int32_t replicas = 1;        ///< the same of data ranks
  int64_t gradient_bytes = 0;  ///< that it sums with other data ranks in all steps together
};

struct JobTrace {
  std::vector<TracedOperation> operations;
  Placement placement;
  int stages = 0;  ///< of the job, where more is known than its operations show
  int slices = 1;  ///< of a micro-batch: slice k of micro-batch i is numbered i slices + k
  /// Whether all times are on one clock, and the ranks of a group begin at once when the last of
  /// them is ready.
  bool one_clock = false;
  FoundParallelism degrees{};  ///< where more is known than the operations show
  WithinPasses within;
  std::vector<std::vector<PassWindow>> windows{};  ///< see TracedOperation
  /// The numbers of the iterations of the one step, where they run into each other; empty: a step
  /// is an iteration.
  std::vector<int32_t> iterations{};
  int expert_ranks = 1;      ///< so many data ranks that follow one another exchange tokens
  bool folds = false;        ///< whether replicas that are alike stand once
  bool knows_hosts = false;  ///< whether its operations say when their hosts asked for them
  StepLengths step_lengths;  ///< where marks tell them
  bool lacks = false;        ///< whether it lacks parts of the job, which `notes` name
  std::vector<SlowMember> slow_members{};                    ///< of tensor and context groups
  std::map<std::pair<int32_t, int32_t>, RankFacts> facts{};  ///< by data rank and stage
  std::vector<std::string> notes;
};

}  // namespace pipewright::diagnose
