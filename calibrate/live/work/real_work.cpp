#include "calibrate/live/work/real_work.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "calibrate/live/messages/messages.hpp"
#include "calibrate/live/messages/real_payloads.hpp"
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

namespace {

Reads reads_of(const Schedule& schedule, const Action& action) {
  Reads reads{action.weight_version, 0};
  if (schedule.look_ahead.empty()) return reads;
  const schedule::LookAhead& ahead = schedule.look_ahead[static_cast<size_t>(action.stage)];
  reads.ahead = action.pass == Pass::forward ? ahead.forward : ahead.backward;
  return reads;
}

/// Calls of a StageState's passes that the action makes.
int reads_made(Pass pass) { return pass == Pass::backward ? 2 : 1; }

}  // namespace

class RealWork::Trainer final : public NumberExchange {
 public:
  Trainer(const Program& program, const Schedule& schedule, const StagedModel& model,
          const Training& training, kernels::Kernels& kernels, std::optional<uint32_t> rank,
          std::vector<Extent> extents)
      : program_(program),
        schedule_(schedule),
        model_(model),
        training_(training),
        tied_(model.tied_part()),
        kernels_(kernels),
        messages_(schedule, training.replicas * model.sharers()),
        losses_(static_cast<size_t>(training.micro_batches() * training.slices() *
                                    training.replicas * model.sharers())),
        extents_(std::move(extents)) {
    extents_.resize(program.ops.size());
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank) {
      ensure(program.ranks[rank].multiplicity == 1, "real work needs every rank");
      rank_of_device_[program.ranks[rank].device] = rank;
    }
    add_states(rank);
    if (rank) payloads_ = std::make_unique<RealPayloads>(program, *rank, *this, kernels);
    progress_.resize(program.ranks.size());
    tied_steps_.resize(program.ranks.size());
    for (const Op& op : program.ops) tied_by_collective_ |= program.types[op.type].tied;
  }

  void compute(OpId op) {
    const OpType& type = program_.type(op);
    const uint32_t rank = program_.ops[op].rank;
    if (type.kind == OpKind::step) return step(rank, type.stage, program_.ops[op].micro_batch);
    if (type.first) begin(rank, program_.action(op));
    advance(rank, program_.action(op));
    if (type.last) end(rank, program_.action(op));
    if (type.paired) pass(rank, program_.partners[program_.ops[op].peer]);
  }

  void communicate(OpId op) {
    const OpType& type = program_.type(op);
    if (type.moves_activation) return;  // all ranks' activations stand in the same memory
    if (type.kind == OpKind::transfer) {
      const Tensor& moved =
          messages_.transfer(program_.action(op), member(program_.ops[op].rank), kernels_);
      extents_[op] = {moved.rows, moved.columns};
      return;
    }
    if (is_exchange(type)) return exchange(type.collective, ranks_of(op));
    sum(gradients_of(op));
  }

  Array message(OpId op) override {
    if (program_.type(op).moves_activation) return {};  // where it goes nobody works on it
    return messages_.leave(program_.action(op), member(program_.ops[op].rank));
  }
  void deliver(OpId op, Array array) override {
    messages_.deliver(program_.action(op), member(program_.ops[op].rank), std::move(array));
  }
  Extent extent(OpId op) const override { return extents_[op]; }
  std::vector<train::Moving> bring(OpId op) override {
    const OpType& type = program_.type(op);
    const uint32_t own = states_.begin()->first.first;
    if (is_exchange(type)) {
      check_exchange(type.collective, own);
      return progress_[own].moving;
    }
    const int number = program_.ops[op].micro_batch;
    if (!type.tied)
      return {{Exchange::sum, {nullptr, state(own, type.stage).gradient(number)}, nullptr}};
    const bool has_first = ranks_of(op)[0] == own;
    return {{Exchange::sum,
             {nullptr, has_first ? tied_first(own, number) : tied_last(own, number)},
             nullptr}};
  }
  void take(OpId op, std::vector<Array> arrays) override {
    if (!is_exchange(program_.type(op))) return;  // gradients are where they were
    train::Progress& at = progress_[states_.begin()->first.first];
    for (size_t i = 0; i < arrays.size(); ++i) at.moving[i].array = std::move(arrays[i]);
    at.exchanged = true;
  }
  Payloads* payloads() { return payloads_.get(); }
  const std::vector<Extent>& extents() const { return extents_; }
  const StagedModel& model() const { return model_; }
  const Training& training() const { return training_; }

  TrainedParts parts() const {
    TrainedParts parts;
    for (const auto& [place, state] : states_)
      parts.weights.push_back(
          {place.second, sharer(place.first), train::numbers_of(kernels_, state->weights())});
    for (size_t i = 0; i < losses_.size(); ++i)
      if (losses_[i]) parts.losses.push_back({i, train::numbers_of(kernels_, losses_[i])[0]});
    return parts;
  }

 private:
  using Place = std::pair<uint32_t, int>;  // rank and stage

  const train::Stage& stage_of(const Place& place) const {
    return model_.stage(place.second, sharer(place.first));
  }
  /// Ranks that have strips of the same images stand side by side among the replicas.
  int replica(uint32_t rank) const {
    return program_.ranks[rank].data / (model_.in_strips ? model_.sharers() : 1);
  }
  /// Returns the rank's number among those that share the work of a stage.
  int sharer(uint32_t rank) const {
    return model_.in_strips ? program_.ranks[rank].data % model_.sharers()
                            : program_.ranks[rank].tensor;
  }
  /// Returns the rank's number among those that hold the same stages.
  int member(uint32_t rank) const { return replica(rank) * model_.sharers() + sharer(rank); }
  int stages() const { return static_cast<int>(model_.stages.size()); }
  StageState& state(uint32_t rank, int stage) { return *states_.at({rank, stage}); }

  /// Adds the states of all ranks, or of one.
  void add_states(std::optional<uint32_t> only) {
    std::map<Place, std::vector<int>> reads;
    for (uint32_t rank = 0; rank < program_.ranks.size(); ++rank) {
      if (only && rank != *only) continue;
      for (const Action& a : schedule_.order[static_cast<size_t>(program_.ranks[rank].pipeline)]) {
        std::vector<int>& of_stage = reads[{rank, a.stage}];
        of_stage.resize(static_cast<size_t>(training_.steps) + 1);
        of_stage[static_cast<size_t>(a.weight_version)] += reads_made(a.pass);
      }
    }
    for (auto& [place, counts] : reads) {
      states_[place] = std::make_unique<StageState>(
          stage_of(place), kernels_, training_.optimizer_of(static_cast<size_t>(place.second)),
          std::move(counts), training_.steps, training_.micro_batches(),
          !schedule_.look_ahead.empty());
    }
  }

  void pass(uint32_t rank, const Action& action) {
    begin(rank, action);
    advance(rank, action);
    end(rank, action);
  }

  void begin(uint32_t rank, const Action& action) {
    progress_[rank] = {};
    if (action.pass == Pass::weight_gradient) return;
    const int from = action.pass == Pass::forward ? action.stage - 1 : action.stage + 1;
    if (from >= 0 && from < stages()) progress_[rank].x = messages_.take(action, member(rank));
  }

  Batch batch(uint32_t rank, const Action& action) const {
    const bool is_end = action.stage == 0 || action.stage + 1 == stages();
    return training_.batch(action.micro_batch, replica(rank), action.slice, is_end);
  }

  /// Advances as far as the tensor group's next exchange.
  void advance(uint32_t rank, const Action& action) {
    train::Progress& at = progress_[rank];
    if (!at.moving.empty() && !at.exchanged) throw other_collectives();
    StageState& stage = state(rank, action.stage);
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
    if (!progress_[rank].moving.empty()) throw other_collectives();
    if (action.pass != Pass::weight_gradient) hand_on(rank, action, std::move(progress_[rank].x));
    progress_[rank] = {};
    for (int made = 0; made < reads_made(action.pass); ++made)
      state(rank, action.stage).was_read(reads_of(schedule_, action).version);
  }

  /// Hands the result to the stage that goes on with it; at the ends a loss is noted and a gradient
  /// dropped.
  void hand_on(uint32_t rank, const Action& action, Array result) {
    const bool is_forward = action.pass == Pass::forward;
    if (action.stage != (is_forward ? stages() - 1 : 0))
      return messages_.send(action, member(rank), std::move(result));
    if (!is_forward || !model_.counts_loss(sharer(rank))) return;
    const int whole = action.micro_batch * training_.replicas + replica(rank);
    const int slice = whole * training_.slices() + action.slice;
    losses_[static_cast<size_t>(slice * model_.sharers() + sharer(rank))] = std::move(result);
  }

  static Failure other_collectives() {
    return Failure(
        "the program's tensor-parallel collectives are not those of "
        "the layers that are trained");
  }

  /// Tells whether the op is an exchange in the middle of a pass.
  static bool is_exchange(const OpType& type) {
    return type.traffic == Traffic::tensor || type.traffic == Traffic::context;
  }

  void check_exchange(CollectiveKind kind, uint32_t rank) const {
    const train::Progress& at = progress_[rank];
    if (at.moving.empty() || at.exchanged || train::collective_of(at.moving.front().how) != kind)
      throw other_collectives();
  }

  /// Exchanges what the layers of all these ranks wait for.
  void exchange(CollectiveKind kind, const std::vector<uint32_t>& ranks) {
    const size_t count = progress_[ranks.front()].moving.size();
    for (const uint32_t rank : ranks) {
      check_exchange(kind, rank);
      if (progress_[rank].moving.size() != count) throw other_collectives();
      progress_[rank].exchanged = true;
    }
    for (size_t i = 0; i < count; ++i) {
      std::vector<train::Moving*> group;
      for (const uint32_t rank : ranks) group.push_back(&progress_[rank].moving[i]);
      train::carry_out(kernels_, group);
    }
  }

  void step(uint32_t rank, int stage, int number) {
    share_tied_on_rank(rank, number);
    state(rank, stage).step(number);
  }

  /// Joins the halves of a tied table where one rank holds both ends of the model, for there no
  /// collective does.
  void share_tied_on_rank(uint32_t rank, int number) {
    if (tied_.size == 0 || tied_by_collective_) return;
    if (!states_.contains({rank, 0}) || tied_steps_[rank] > number) return;
    tied_steps_[rank] = number + 1;
    sum({tied_first(rank, number), tied_last(rank, number)});
  }

  Tensor tied_first(uint32_t rank, int number) {
    return state(rank, 0).gradient(number).column_range(tied_.first_offset, tied_.size);
  }
  Tensor tied_last(uint32_t rank, int number) {
    return state(rank, stages() - 1).gradient(number).column_range(tied_.last_offset, tied_.size);
  }

  std::vector<uint32_t> ranks_of(OpId op) const {
    std::vector<uint32_t> ranks;
    for (const int32_t device : program_.groups[program_.ops[op].peer])
      ranks.push_back(rank_of_device_.at(device));
    return ranks;
  }

  /// Returns what the collective `op` sums up: the gradient of one stage on all devices of its
  /// group, or the tied table's on the rank of the first stage and on that of the last.
  std::vector<Tensor> gradients_of(OpId op) {
    const int number = program_.ops[op].micro_batch;
    const std::vector<uint32_t> ranks = ranks_of(op);
    if (program_.type(op).tied) return {tied_first(ranks[0], number), tied_last(ranks[1], number)};
    std::vector<Tensor> gradients;
    for (const uint32_t rank : ranks)
      gradients.push_back(state(rank, program_.type(op).stage).gradient(number));
    return gradients;
  }

  /// Every part becomes the sum of all.
  void sum(const std::vector<Tensor>& parts) {
    for (size_t i = 1; i < parts.size(); ++i) kernels_.add(1, parts[i], parts[0]);
    for (size_t i = 1; i < parts.size(); ++i) kernels_.copy(parts[0], parts[i]);
  }

  const Program& program_;
  const Schedule& schedule_;
  const StagedModel& model_;
  const Training& training_;
  train::TiedTable tied_;
  kernels::Kernels& kernels_;
  std::map<Place, std::unique_ptr<StageState>> states_;
  std::map<int32_t, uint32_t> rank_of_device_;
  Messages messages_;
  std::vector<train::Progress> progress_;   // by rank, of the pass that it is at
  std::vector<Array> losses_;               // by micro-batch, replica and slice
  std::vector<Extent> extents_;             // by op, of transfers that were or will be made
  std::unique_ptr<RealPayloads> payloads_;  // of one of many processes
  bool tied_by_collective_ = false;
  std::vector<int> tied_steps_;  // by rank: steps whose tied gradients were summed there
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

train::PassReads reads_of(const Schedule& schedule) {
  using Table = std::map<std::pair<int, int>, Reads>;  // by stage and micro-batch
  const auto forward = std::make_shared<Table>(), backward = std::make_shared<Table>();
  for (const schedule::Order& order : schedule.order) {
    for (const Action& a : order) {
      Table& table = a.pass == Pass::forward ? *forward : *backward;
      table[{a.stage, a.micro_batch}] = reads_of(schedule, a);
    }
  }
  return {[forward](int stage, int micro_batch) {
            return forward->at({stage, micro_batch});
          },
          [backward](int stage, int micro_batch) {
            return backward->at({stage, micro_batch});
          }};
}

}  // namespace pipewright::live
