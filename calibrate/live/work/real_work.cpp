#include "calibrate/live/work/real_work.hpp"

#include "calibrate/live/messages/messages.hpp"
#include "calibrate/live/messages/real_payloads.hpp"
#include "calibrate/live/work/pass_exchanges.hpp"
#include "calibrate/live/work/pass_reads.hpp"
#include "calibrate/live/work/rank_states.hpp"
#include "calibrate/train/layers/host_numbers.hpp"

namespace pipewright::live {

using schedule::Action;
using schedule::Pass;
using schedule::Schedule;
using train::Array;
using train::Batch;
using train::Exchange;
using train::Reads;
using train::StagedModel;
using train::StageState;
using train::Tensor;
using train::Trained;
using train::Training;

class RealWork::Trainer final : public NumberExchange {
 public:
  Trainer(const Program& program, const Schedule& schedule, const StagedModel& model,
          const Training& training, kernels::Kernels& kernels, std::optional<uint32_t> rank,
          std::vector<Extent> extents)
      : program_(program),
        schedule_(schedule),
        model_(model),
        training_(training),
        kernels_(kernels),
        places_(program, model),
        states_({program, schedule, model, training}, places_, kernels, rank),
        messages_(schedule, training.replicas * model.sharers()),
        exchanges_(program.ranks.size(), kernels),
        losses_(static_cast<size_t>(training.micro_batches() * training.slices() *
                                    training.replicas * model.sharers())),
        extents_(std::move(extents)) {
    extents_.resize(program.ops.size());
    if (rank) payloads_ = std::make_unique<RealPayloads>(program, *rank, *this, kernels);
  }

  void compute(OpId op) {
    const OpType& type = program_.type(op);
    const uint32_t rank = program_.ops[op].rank;
    if (type.kind == OpKind::step)
      return states_.step(rank, type.stage, program_.ops[op].micro_batch);
    if (type.first) begin(rank, program_.action(op));
    advance(rank, program_.action(op));
    if (type.last) end(rank, program_.action(op));
    if (type.paired) pass(rank, program_.partners[program_.ops[op].peer]);
  }

  void communicate(OpId op) {
    const OpType& type = program_.type(op);
    if (type.moves_activation) return;  // all ranks' activations stand in the same memory
    if (type.resharding != none)
      return messages_.reshard(program_.action(op), resharded(op), kernels_);
    if (type.kind == OpKind::transfer) {
      const Tensor& moved =
          messages_.transfer(program_.action(op), places_.member(program_.ops[op].rank), kernels_);
      extents_[op] = {moved.rows, moved.columns};
      return;
    }
    if (PassExchanges::is_exchange(type))
      return exchanges_.carry_out(type.collective, places_.ranks_of(op));
    if (states_.ties_unlike_meshes(op)) return states_.sum_tied(op);
    states_.sum(states_.gradients_of(op));
  }

  Array message(OpId op) override {
    if (program_.type(op).moves_activation) return {};  // where it goes nobody works on it
    return messages_.leave(program_.action(op), member_at(op));
  }
  void deliver(OpId op, Array array) override {
    messages_.deliver(program_.action(op), member_at(op), std::move(array));
  }
  Extent extent(OpId op) const override { return extents_[op]; }
  std::vector<train::Moving> bring(OpId op) override {
    const OpType& type = program_.type(op);
    const uint32_t own = states_.first_rank();
    if (states_.ties_unlike_meshes(op))
      return {{Exchange::sum, states_.tied_share(op, own), nullptr}};
    if (!PassExchanges::is_exchange(type))
      return {{Exchange::sum, {nullptr, states_.gradient_of(op, own)}, nullptr}};
    exchanges_.expect(type.collective, own);
    return exchanges_.of(own).moving;
  }
  void take(OpId op, std::vector<Array> arrays) override {
    if (states_.ties_unlike_meshes(op))
      return states_.take_tied(op, states_.first_rank(), arrays.front());
    if (!PassExchanges::is_exchange(program_.type(op))) return;  // gradients are where they were
    exchanges_.take(states_.first_rank(), std::move(arrays));
  }
  Payloads* payloads() { return payloads_.get(); }
  const std::vector<Extent>& extents() const { return extents_; }
  const StagedModel& model() const { return model_; }
  const Training& training() const { return training_; }

  TrainedParts parts() const {
    TrainedParts parts;
    states_.add_weights(parts);
    for (size_t i = 0; i < losses_.size(); ++i)
      if (losses_[i]) parts.losses.push_back({i, train::numbers_of(kernels_, losses_[i])[0]});
    return parts;
  }

 private:
  int stages() const { return static_cast<int>(model_.stages.size()); }

  /// Returns the place of a message of one of many processes: both sides of a transfer have one,
  /// each of two meshes has its own.
  int member_at(OpId op) const {
    const bool is_joint = program_.type(op).resharding != none;
    return places_.member(is_joint ? states_.first_rank() : program_.ops[op].rank);
  }

  void pass(uint32_t rank, const Action& action) {
    begin(rank, action);
    advance(rank, action);
    end(rank, action);
  }

  void begin(uint32_t rank, const Action& action) {
    exchanges_.of(rank) = {};
    if (action.pass == Pass::weight_gradient) return;
    const int from = action.pass == Pass::forward ? action.stage - 1 : action.stage + 1;
    if (from >= 0 && from < stages())
      exchanges_.of(rank).x = messages_.take(action, places_.member(rank));
  }

  /// Returns the replicas of the stage that sends and of the one that takes.
  Resharded resharded(OpId op) const {
    const Action action = program_.action(op);
    const int to = action.stage + (action.pass == Pass::forward ? 1 : -1);
    return {training_.replicas_of(action.stage), training_.replicas_of(to), model_.sharers_of(to),
            model_.sharers(), training_.micro_sequences * training_.replicas};
  }

  Batch batch(uint32_t rank, const Action& action) const {
    const bool is_end = action.stage == 0 || action.stage + 1 == stages();
    const train::Replica replica{places_.replica(rank), training_.replicas_of(action.stage)};
    return training_.batch(action.micro_batch, replica, action.slice, is_end);
  }

  /// Advances as far as the tensor group's next exchange.
  void advance(uint32_t rank, const Action& action) {
    exchanges_.expect_exchanged(rank);
    train::Progress& at = exchanges_.of(rank);
    StageState& stage = states_.of(rank, action.stage);
    const Reads reads = reads_of(schedule_, action);
    const Batch own = batch(rank, action);
    const int step = action.micro_batch / training_.step_every;
    switch (action.pass) {
      case Pass::forward:
        return stage.forward(reads, action.micro_batch, own, at);
      case Pass::backward:
        return stage.backward(reads, action.micro_batch, own, step, at);
      case Pass::input_gradient:
        return stage.input_gradient(reads, action.micro_batch, own, at);
      case Pass::weight_gradient:
        return stage.weight_gradient(reads, action.micro_batch, own, step, at);
    }
  }

  void end(uint32_t rank, const Action& action) {
    exchanges_.expect_over(rank);
    if (action.pass != Pass::weight_gradient)
      hand_on(rank, action, std::move(exchanges_.of(rank).x));
    exchanges_.of(rank) = {};
    for (int made = 0; made < reads_made(action.pass); ++made)
      states_.of(rank, action.stage).was_read(reads_of(schedule_, action).version);
  }

  /// Hands the result to the stage that goes on with it; at the ends a loss is noted and a gradient
  /// dropped.
  void hand_on(uint32_t rank, const Action& action, Array result) {
    const bool is_forward = action.pass == Pass::forward;
    if (action.stage != (is_forward ? stages() - 1 : 0))
      return messages_.send(action, places_.member(rank), std::move(result));
    if (!is_forward || !model_.counts_loss(places_.sharer(rank))) return;
    const int whole = action.micro_batch * training_.replicas + places_.replica(rank);
    const int slice = whole * training_.slices() + action.slice;
    losses_[static_cast<size_t>(slice * model_.sharers() + places_.sharer(rank))] =
        std::move(result);
  }

  const Program& program_;
  const Schedule& schedule_;
  const StagedModel& model_;
  const Training& training_;
  kernels::Kernels& kernels_;
  RankPlaces places_;
  RankStates states_;
  Messages messages_;
  PassExchanges exchanges_;
  std::vector<Array> losses_;               ///< by micro-batch, replica and slice
  std::vector<Extent> extents_;             ///< by op, of transfers that were or will be made
  std::unique_ptr<RealPayloads> payloads_;  ///< of one of many processes
};

RealWork::RealWork(const Program& program, const Schedule& schedule, const StagedModel& model,
                   const Training& training, kernels::Kernels& kernels,
                   std::optional<uint32_t> rank, std::vector<Extent> extents)
    : trainer_(std::make_unique<Trainer>(program, schedule, model, training, kernels, rank,
                                         std::move(extents))) {}
RealWork::~RealWork() = default;
void RealWork::compute(OpId op) { trainer_->compute(op); }
void RealWork::communicate(OpId op) { trainer_->communicate(op); }
Payloads* RealWork::payloads() { return trainer_->payloads(); }
NumberExchange* RealWork::number_exchange() { return trainer_.get(); }
const std::vector<Extent>& RealWork::extents() const { return trainer_->extents(); }
TrainedParts RealWork::parts() const { return trainer_->parts(); }
Trained RealWork::result() const {
  return assemble(trainer_->model(), trainer_->training(), {parts()});
}

}  // namespace pipewright::live
