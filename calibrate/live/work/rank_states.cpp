#include "calibrate/live/work/rank_states.hpp"

#include <algorithm>

#include "calibrate/live/work/pass_reads.hpp"
#include "calibrate/train/layers/host_numbers.hpp"

namespace pipewright::live {

using schedule::Action;
using train::StageState;
using train::Tensor;

RankStates::RankStates(const Job& job, const RankPlaces& places, kernels::Kernels& kernels,
                       std::optional<uint32_t> only)
    : job_(job),
      places_(places),
      kernels_(kernels),
      tied_first_(job.model.tied_part(0)),
      tied_last_(job.model.tied_part(last_stage())),
      tied_by_collective_(std::ranges::any_of(
          job.program.ops, [&](const Op& op) { return job.program.types[op.type].tied; })),
      tied_steps_(job.program.ranks.size()) {
  const train::Training& training = job.training;
  for (auto& [place, counts] : count_reads(only)) {
    const auto [rank, stage] = place;
    states_[place] = std::make_unique<StageState>(
        job.model.stage(stage, places.sharer(rank)), kernels,
        training.optimizer_of(static_cast<size_t>(stage)), std::move(counts), training.steps,
        training.micro_batches(), !job.schedule.look_ahead.empty());
  }
}

/// Returns how often each version of the weights is read.
std::map<RankStates::Place, std::vector<int>> RankStates::count_reads(
    std::optional<uint32_t> only) const {
  std::map<Place, std::vector<int>> reads;
  const std::vector<ProgramRank>& ranks = job_.program.ranks;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (only && rank != *only) continue;
    for (const Action& a : job_.schedule.order[static_cast<size_t>(ranks[rank].pipeline)]) {
      std::vector<int>& of_stage = reads[{rank, a.stage}];
      of_stage.resize(static_cast<size_t>(job_.training.steps) + 1);
      of_stage[static_cast<size_t>(a.weight_version)] += reads_made(a.pass);
    }
  }
  return reads;
}

void RankStates::step(uint32_t rank, int stage, int number) {
  share_tied_on_rank(rank, number);
  of(rank, stage).step(number);
}

/// Joins the halves of a tied table where one rank holds both ends of the model, for there no
/// collective does.
void RankStates::share_tied_on_rank(uint32_t rank, int number) {
  if (tied_first_.size == 0 || tied_by_collective_) return;
  if (!states_.contains({rank, 0}) || tied_steps_[rank] > number) return;
  tied_steps_[rank] = number + 1;
  sum({tied_first(rank, number), tied_last(rank, number)});
}

Tensor RankStates::tied_first(uint32_t rank, int number) {
  return of(rank, 0).gradient(number).column_range(tied_first_.first_offset, tied_first_.size);
}

Tensor RankStates::tied_last(uint32_t rank, int number) {
  return of(rank, last_stage())
      .gradient(number)
      .column_range(tied_last_.last_offset, tied_last_.size);
}

std::vector<Tensor> RankStates::gradients_of(OpId op) {
  const OpType& type = job_.program.type(op);
  const int number = job_.program.ops[op].micro_batch;
  const std::vector<uint32_t> ranks = places_.ranks_of(op);
  if (type.tied) return {tied_first(ranks[0], number), tied_last(ranks[1], number)};
  std::vector<Tensor> gradients;
  for (const uint32_t rank : ranks) gradients.push_back(of(rank, type.stage).gradient(number));
  return gradients;
}

Tensor RankStates::gradient_of(OpId op, uint32_t rank) {
  const OpType& type = job_.program.type(op);
  const int number = job_.program.ops[op].micro_batch;
  if (!type.tied) return of(rank, type.stage).gradient(number);
  const bool has_first = places_.ranks_of(op)[0] == rank;
  return has_first ? tied_first(rank, number) : tied_last(rank, number);
}

void RankStates::sum(const std::vector<Tensor>& parts) {
  for (size_t i = 1; i < parts.size(); ++i) kernels_.add(1, parts[i], parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) kernels_.copy(parts[0], parts[i]);
}

bool RankStates::ties_unlike_meshes(OpId op) const {
  const train::Training& training = job_.training;
  return job_.program.type(op).tied &&
         (tied_first_.size != tied_last_.size ||
          training.replicas_of(0) != training.replicas_of(last_stage()));
}

Tensor RankStates::tied_of(OpId op, uint32_t rank) {
  const int number = job_.program.ops[op].micro_batch;
  return has_first(rank) ? tied_first(rank, number) : tied_last(rank, number);
}

/// Tensor ranks have the table's rows one after the other.
Tensor RankStates::place_in(const Tensor& table, uint32_t rank) const {
  const int64_t size = has_first(rank) ? tied_first_.size : tied_last_.size;
  return table.column_range(places_.sharer(rank) * size, size);
}

/// Replicas have the same gradient by then, so the first one brings it.
kernels::Array RankStates::tied_share(OpId op, uint32_t rank) {
  kernels::Array table = kernels_.array(1, job_.model.tied.size);
  kernels_.zero(table);
  if (places_.replica(rank) == 0) kernels_.copy(tied_of(op, rank), place_in(table, rank));
  return table;
}

void RankStates::take_tied(OpId op, uint32_t rank, const Tensor& sum) {
  kernels_.copy(place_in(sum, rank), tied_of(op, rank));
}

void RankStates::sum_tied(OpId op) {
  const std::vector<uint32_t> ranks = places_.ranks_of(op);
  kernels::Array table = kernels_.array(1, job_.model.tied.size);
  kernels_.zero(table);
  for (const uint32_t rank : ranks)
    if (places_.replica(rank) == 0) kernels_.add(1, tied_of(op, rank), place_in(table, rank));
  for (const uint32_t rank : ranks) take_tied(op, rank, table);
}

void RankStates::add_weights(TrainedParts& parts) const {
  for (const auto& [place, state] : states_)
    parts.weights.push_back(
        {place.second, places_.sharer(place.first), train::numbers_of(kernels_, state->weights())});
}

}  // namespace pipewright::live
