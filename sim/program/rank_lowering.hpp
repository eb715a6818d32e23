// Lowers one pipeline rank: its passes and messages in their order, and what steps its weights.
#pragma once

#include "program/lower_messages.hpp"
#include "program/pass_lowering.hpp"
#include "program/updates.hpp"

namespace pipewright {

class RankLowering {
 public:
  RankLowering(ProgramDraft& draft, LoweredMessages& messages, Updates& updates, int rank);
  /// Lowers all steps of the rank. `together`: so many members at a time.
  void run(const std::vector<RankStep>& steps, uint32_t together);

 private:
  void lower_step(const RankStep& step);
  void lower_pass(size_t position);
  void reduce(int step, int stage);
  void step_optimizer(int step);

  ProgramDraft& draft_;
  LoweredMessages& messages_;
  Updates& updates_;
  LoweredRank rank_;
  PassLowering passes_;
  const schedule::Order& order_;
  std::vector<bool> completes_;  ///< by position in the order
};

}  // namespace pipewright
