#include "program/updates.hpp"

#include <algorithm>

#include "program/host_steps.hpp"
#include "program/outer_steps.hpp"
#include "program/update_collectives.hpp"

namespace pipewright {

void Updates::gradients_complete(int step, int stage, int rank, uint32_t member,
                                 std::vector<OpId> ops) {
  if (draft_.in.updates.empty()) return;
  completed_[{step, stage}].push_back({rank, member, std::move(ops)});
  std::vector<int>& stages = stages_[{step, rank}];
  if (std::find(stages.begin(), stages.end(), stage) == stages.end()) stages.push_back(stage);
}

void Updates::all_complete(int step, int rank, uint32_t member, OpId op) {
  if (!draft_.in.updates.empty()) steps_[{step, draft_.program_rank(rank, member)}].before = op;
}

bool Updates::awaits_weights(int step, int rank) const {
  return std::ranges::any_of(stages_.at({step, rank}), [&](int stage) {
    return !draft_.types.gather(stage).empty() || !draft_.types.on_host(stage).empty();
  });
}

std::vector<uint32_t> Updates::step_types(int step, int rank) const {
  std::vector<uint32_t> types;
  if (draft_.in.updates.empty()) return types;
  for (const int stage : stages_.at({step, rank}))
    if (draft_.types.step(stage) != none) types.push_back(draft_.types.step(stage));
  // What follows waits here for the updated weights.
  if (awaits_weights(step, rank)) types.push_back(draft_.types.marker());
  return types;
}

void Updates::stepped(int step, int rank, uint32_t member, OpId op) {
  steps_[{step, draft_.program_rank(rank, member)}].ops.push_back(op);
}

void connect_updates(ProgramDraft& draft, const Updates& updates) {
  UpdateEndsOf ends;
  UpdateCollectives collectives(draft, updates, ends);
  const int last = draft.schedule.stages - 1;
  // All ranks issue collectives in this order: the last stages complete first.
  for (int step = 0; step < updates.steps(); ++step) {
    for (int stage = last; stage >= 0; --stage) collectives.reduce(step, stage);
    collectives.tie_embeddings(step);
    collectives.validate(step);
    for (int stage = last; stage >= 0; --stage) step_on_host(draft, updates, ends, step, stage);
    for (int stage = last; stage >= 0; --stage) collectives.gather(step, stage);
    for (int stage = last; stage >= 0; --stage) meet_sites(draft, updates, step, stage);
  }
}

}  // namespace pipewright
