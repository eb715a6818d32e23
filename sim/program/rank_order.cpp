#include "program/rank_order.hpp"

#include <algorithm>

#include "base/stop.hpp"
#include "program/gradient_counter.hpp"
#include "program/posting.hpp"
#include "program/posting_choice.hpp"
#include "schedule/pieces.hpp"

namespace pipewright {
namespace {

using schedule::Action;
using schedule::Order;
using schedule::Pass;
using schedule::Pieces;
using schedule::Place;
using schedule::Schedule;

/// The place of the pass that takes the output of `a`; none at the ends of the pipeline.
Place consumer(const Schedule& schedule, const Pieces& pieces, const Action& a) {
  if (a.pass == Pass::forward && a.stage + 1 < schedule.stages)
    return pieces.find(Pass::forward, a.stage + 1, a.micro_batch, a.slice);
  const bool makes_gradient = a.pass == Pass::backward || a.pass == Pass::input_gradient;
  if (makes_gradient && a.stage > 0) return pieces.backward(a.stage - 1, a.micro_batch, a.slice);
  return {};
}

void find_messages(const Schedule& schedule, RankOrders& orders) {
  const Pieces pieces(schedule);
  orders.send.resize(schedule.order.size());
  orders.receive.resize(schedule.order.size());
  for (size_t rank = 0; rank < schedule.order.size(); ++rank) {
    orders.send[rank].assign(schedule.order[rank].size(), -1);
    orders.receive[rank].assign(schedule.order[rank].size(), -1);
  }
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    stop_here();
    const Order& order = schedule.order[rank];
    for (size_t k = 0; k < order.size(); ++k) {
      const Place to = consumer(schedule, pieces, order[k]);
      if (!to || to.rank == rank) continue;
      const int message = static_cast<int>(orders.messages.size());
      const int to_stage = schedule.order[to.rank][to.position].stage;
      orders.messages.push_back({rank, to.rank, to_stage, order[k]});
      orders.send[rank][k] = message;
      orders.receive[to.rank][to.position] = message;
    }
  }
}

/// Passes that a rank runs without communicating in between, then the weight gradients that follow
/// them: those need nothing from other ranks, so what comes before them is handed on first.
struct Block {
  std::vector<size_t> passes;            ///< positions; a pair by its first action
  std::vector<size_t> weight_gradients;  ///< positions
  std::vector<int> sends, receives;      ///< messages
};

class RankBuilder {
 public:
  RankBuilder(const Schedule& schedule, SendMode mode, RankOrders& orders)
      : schedule_(schedule),
        mode_(mode),
        orders_(orders),
        posting_(mode == SendMode::rendezvous ? choose_posting(schedule) : Posting::in_turn) {
    for (int rank = 0; rank < schedule.ranks(); ++rank) blocks_.push_back(find_blocks(rank));
    if (posting_ == Posting::ahead)
      post_ahead();
    else
      post_late();
  }

  std::vector<RankStep> build(int rank) const {
    stop_here();
    const Order& order = schedule_.order[rank];
    GradientCounter gradients(schedule_, order);
    std::vector<RankStep> steps;
    communicate({}, receives_before(rank, 0), steps);
    for (size_t j = 0; j < blocks_[rank].size(); ++j) {
      const Block& block = blocks_[rank][j];
      std::vector<RankStep> updates;
      if (mode_ == SendMode::buffered) take(block.receives, steps);
      for (const size_t k : block.passes) {
        steps.push_back({RankStep::Kind::pass, static_cast<int>(k), {}});
        gradients.count(order[k], updates);
        if (order[k].pairs_with_next) gradients.count(order[k + 1], updates);
      }
      // A rank hands its results on before it updates its weights.
      communicate(block.sends, receives_before(rank, j + 1), steps);
      steps.insert(steps.end(), updates.begin(), updates.end());
      for (const size_t k : block.weight_gradients) {
        steps.push_back({RankStep::Kind::pass, static_cast<int>(k), {}});
        gradients.count(order[k], steps);
      }
    }
    return steps;
  }

 private:
  using Messages = std::vector<int>;

  /// Tells whether the rank goes on to the next pass before it communicates: in the steady state
  /// Megatron's interleaved schedule runs a forward and the backward after it, then communicates
  /// for both. Where there is no steady state, the last forward and the first backward have nothing
  /// to do with each other.
  bool runs_on(const Order& order, size_t k) const {
    if (posting_ != Posting::looped) return false;
    const auto is = [&](size_t at, Pass pass) {
      return at < order.size() && order[at].pass == pass;
    };
    const bool steady = (k > 0 && is(k - 1, Pass::backward)) || is(k + 2, Pass::forward);
    return steady && is(k, Pass::forward) && is(k + 1, Pass::backward);
  }

  std::vector<Block> find_blocks(int rank) const {
    stop_here();
    const Order& order = schedule_.order[rank];
    std::vector<Block> blocks;
    for (size_t k = 0; k < order.size(); ++k) {
      if (order[k].pass == Pass::weight_gradient && !blocks.empty() && posting_ != Posting::ahead) {
        blocks.back().weight_gradients.push_back(k);
        continue;
      }
      Block& block = blocks.emplace_back();
      block.passes.push_back(k);
      add_messages(rank, k, block);
      if (order[k].pairs_with_next) {
        add_messages(rank, ++k, block);
      } else if (runs_on(order, k)) {
        block.passes.push_back(++k);
        add_messages(rank, k, block);
      }
    }
    return blocks;
  }

  void add_messages(int rank, size_t k, Block& block) const {
    if (const int sent = orders_.send[rank][k]; sent >= 0) block.sends.push_back(sent);
    if (const int received = orders_.receive[rank][k]; received >= 0)
      block.receives.push_back(received);
  }

  void post_late() {
    for (const std::vector<Block>& blocks : blocks_) {
      std::vector<Messages>& posted = posted_.emplace_back();
      for (const Block& block : blocks) posted.push_back(block.receives);
    }
  }

  void post_ahead() {
    std::vector<std::vector<PostingOp>> ops(blocks_.size());
    for (size_t rank = 0; rank < blocks_.size(); ++rank)
      for (const Block& block : blocks_[rank])
        ops[rank].push_back({length(rank, block), block.sends, block.receives});
    std::vector<int> receiver;
    for (const Message& message : orders_.messages) receiver.push_back(message.to_rank);
    posted_ = post_receives(ops, receiver);
  }

  int64_t length(size_t rank, const Block& block) const {
    const Order& order = schedule_.order[rank];
    const Action& a = order[block.passes.front()];
    const auto of = [](const Action& pass) { return pass.pass == Pass::backward ? 2 : 1; };
    return of(a) + (a.pairs_with_next ? of(order[block.passes.front() + 1]) : 0);
  }

  Messages receives_before(int rank, size_t block) const {
    return block < posted_[rank].size() ? posted_[rank][block] : Messages{};
  }

  static void take(const Messages& messages, std::vector<RankStep>& steps) {
    for (const int message : messages) steps.push_back({RankStep::Kind::take, message, {}});
  }

  void communicate(const Messages& sends, const Messages& receives,
                   std::vector<RankStep>& steps) const {
    const auto add = [&](RankStep::Kind kind, const Messages& messages) {
      for (const int message : messages) steps.push_back({kind, message, {}});
    };
    switch (mode_) {
      case SendMode::async:
        break;
      case SendMode::buffered:
        add(RankStep::Kind::hand_over, sends);
        break;
      case SendMode::sender:
        add(RankStep::Kind::transfer, sends);
        break;
      case SendMode::rendezvous:
        if (sends.empty() && receives.empty()) break;
        if (posting_ != Posting::in_turn || same_peer(sends, receives)) {
          RankStep batch{RankStep::Kind::batch, 0, sends};
          batch.posted.insert(batch.posted.end(), receives.begin(), receives.end());
          steps.push_back(std::move(batch));
        } else {
          add(RankStep::Kind::transfer, sends);
          add(RankStep::Kind::transfer, receives);
        }
    }
  }

  bool same_peer(const Messages& sends, const Messages& receives) const {
    return sends.size() == 1 && receives.size() == 1 &&
           orders_.messages[sends[0]].to_rank == orders_.messages[receives[0]].from_rank;
  }

  const Schedule& schedule_;
  SendMode mode_;
  const RankOrders& orders_;
  Posting posting_;
  std::vector<std::vector<Block>> blocks_;     // by rank
  std::vector<std::vector<Messages>> posted_;  // by rank and block: receives right before it
};

}  // namespace

RankOrders order_ranks(const Schedule& schedule, SendMode mode) {
  RankOrders orders;
  find_messages(schedule, orders);
  const RankBuilder builder(schedule, mode, orders);
  for (int rank = 0; rank < schedule.ranks(); ++rank) orders.steps.push_back(builder.build(rank));
  return orders;
}

}  // namespace pipewright
