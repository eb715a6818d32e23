#include "program/rank_order.hpp"

#include <algorithm>
#include <map>

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
  const Pieces pieces(schedule, config::Value{});
  orders.send.resize(schedule.order.size());
  orders.receive.resize(schedule.order.size());
  for (size_t rank = 0; rank < schedule.order.size(); ++rank) {
    orders.send[rank].assign(schedule.order[rank].size(), -1);
    orders.receive[rank].assign(schedule.order[rank].size(), -1);
  }
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
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

/// Which stages of a rank have all their gradients for which optimizer step.
class GradientCounter {
 public:
  GradientCounter(const Schedule& schedule, const Order& order)
      : step_every_(schedule.step_every) {
    for (const Action& a : order)
      if (completes_gradient(a)) ++left_[step_of(a)][a.stage];
  }
  static bool completes_gradient(const Action& a) {
    return a.pass == Pass::backward || a.pass == Pass::weight_gradient;
  }
  /// Appends the reduce and step that `a` completes.
  void count(const Action& a, std::vector<RankStep>& steps) {
    if (!completes_gradient(a)) return;
    const int step = step_of(a);
    std::map<int, int>& stages = left_[step];
    if (--stages[a.stage] > 0) return;
    stages.erase(a.stage);
    steps.push_back({RankStep::Kind::reduce, a.stage, step, {}});
    if (stages.empty()) steps.push_back({RankStep::Kind::step, step, -1, {}});
  }

 private:
  int step_of(const Action& a) const { return a.micro_batch / step_every_; }
  int step_every_;
  std::map<int, std::map<int, int>> left_;  // by step, then stage
};

/// The messages between the pass that ends before position `k` and the one that starts there.
struct Gap {
  std::vector<int> sends, receives;
  bool empty() const { return sends.empty() && receives.empty(); }
};

class RankBuilder {
 public:
  RankBuilder(const Schedule& schedule, SendMode mode, RankOrders& orders)
      : schedule_(schedule), mode_(mode), orders_(orders) {
    if (mode == SendMode::rendezvous) number_gaps();
  }

  std::vector<RankStep> build(int rank) {
    const Order& order = schedule_.order[rank];
    GradientCounter gradients(schedule_, order);
    std::vector<RankStep> steps, updates;
    // A rank hands its results on before it updates its weights.
    const auto communicate_and_update = [&](size_t k) {
      communicate(gap_before(rank, k), steps);
      steps.insert(steps.end(), updates.begin(), updates.end());
      updates.clear();
    };
    for (size_t k = 0; k < order.size();) {
      const size_t end = k + (order[k].pairs_with_next ? 2 : 1);
      communicate_and_update(k);
      steps.push_back({RankStep::Kind::pass, static_cast<int>(k), -1, {}});
      for (; k < end; ++k) gradients.count(order[k], updates);
    }
    communicate_and_update(order.size());
    return steps;
  }

 private:
  bool one_stage_per_rank() const {
    return schedule_.chunks() == 1 &&
           std::all_of(schedule_.order.begin(), schedule_.order.end(), [](const Order& order) {
             return std::all_of(order.begin(), order.end(), [&](const Action& a) {
               return a.stage == order.front().stage;
             });
           });
  }

  Gap gap_before(int rank, size_t k) const {
    const Order& order = schedule_.order[rank];
    Gap gap;
    const auto add = [](std::vector<int>& list, int message) {
      if (message >= 0) list.push_back(message);
    };
    if (k > 0) {
      if (k > 1 && order[k - 2].pairs_with_next) add(gap.sends, orders_.send[rank][k - 2]);
      add(gap.sends, orders_.send[rank][k - 1]);
    }
    if (k < order.size()) {
      add(gap.receives, orders_.receive[rank][k]);
      if (order[k].pairs_with_next) add(gap.receives, orders_.receive[rank][k + 1]);
    }
    return gap;
  }

  /// The gap of its own rank in which each message is sent and received.
  void number_gaps() {
    batched_ = !one_stage_per_rank();
    sent_in_.assign(orders_.messages.size(), 0);
    received_in_ = sent_in_;
    for (int rank = 0; rank < schedule_.ranks(); ++rank) {
      const Order& order = schedule_.order[rank];
      for (size_t k = 0; k <= order.size(); ++k) {
        if (k > 0 && order[k - 1].pairs_with_next) continue;
        const Gap gap = gap_before(rank, k);
        for (const int message : gap.sends) sent_in_[message] = k;
        for (const int message : gap.receives) received_in_[message] = k;
      }
    }
  }

  void communicate(const Gap& gap, std::vector<RankStep>& steps) const {
    if (gap.empty()) return;
    if (mode_ == SendMode::sender) {
      for (const int message : gap.sends)
        steps.push_back({RankStep::Kind::transfer, message, -1, {}});
    } else if (mode_ == SendMode::buffered) {
      for (const int message : gap.sends)
        steps.push_back({RankStep::Kind::hand_over, message, -1, {}});
      for (const int message : gap.receives)
        steps.push_back({RankStep::Kind::take, message, -1, {}});
    } else if (mode_ == SendMode::rendezvous && batched_) {
      RankStep batch{RankStep::Kind::batch, 0, -1, gap.sends};
      batch.posted.insert(batch.posted.end(), gap.receives.begin(), gap.receives.end());
      steps.push_back(std::move(batch));
    } else if (mode_ == SendMode::rendezvous) {
      rendezvous(gap, steps);
    }
  }

  void rendezvous(const Gap& gap, std::vector<RankStep>& steps) const {
    if (gap.sends.size() == 1 && gap.receives.size() == 1 &&
        fused(gap.sends[0], gap.receives[0])) {
      const auto [low, high] = std::minmax(gap.sends[0], gap.receives[0]);
      steps.push_back({RankStep::Kind::exchange, low, high, {}});
      return;
    }
    for (const int message : gap.sends)
      steps.push_back({RankStep::Kind::transfer, message, -1, {}});
    for (const int message : gap.receives)
      steps.push_back({RankStep::Kind::transfer, message, -1, {}});
  }

  /// Two messages between the same two ranks that both ranks have in one gap.
  bool fused(int sent, int received) const {
    const Message& out = orders_.messages[sent];
    const Message& in = orders_.messages[received];
    return out.to_rank == in.from_rank && sent_in_[sent] == received_in_[received] &&
           sent_in_[received] == received_in_[sent];
  }

  const Schedule& schedule_;
  SendMode mode_;
  RankOrders& orders_;
  bool batched_ = false;
  std::vector<size_t> sent_in_, received_in_;
};

}  // namespace

RankOrders order_ranks(const Schedule& schedule, SendMode mode) {
  RankOrders orders;
  find_messages(schedule, orders);
  RankBuilder builder(schedule, mode, orders);
  for (int rank = 0; rank < schedule.ranks(); ++rank) orders.steps.push_back(builder.build(rank));
  return orders;
}

}  // namespace pipewright
