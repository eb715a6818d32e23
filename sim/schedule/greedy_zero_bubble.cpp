#include "schedule/greedy_zero_bubble.hpp"

#include <algorithm>

namespace pipewright::schedule {
namespace {

/// One rank while its order grows. Times are in ps as doubles: sums of many long passes stay in
/// range, and below 2^53 ps they are exact.
struct Rank {
  double forward, input_gradient, weight_gradient;  // durations
  int forwards = 0, input_gradients = 0, weight_gradients = 0;
  double start = 0, end = 0;  // of the first and last pass
  double held = 0;            // activations
  double bubble = 0;          // idle time since the first pass
  std::vector<double> forward_ends, gradient_ends;
  Order order;
};

class Greedy {
 public:
  Greedy(const StageCosts& costs, int micro_batches, const Memory& memory, const Choices& choices)
      : m_(micro_batches), memory_(memory), choices_(choices), hop_(costs.hop.ps) {
    ensure(costs.forward.size() == costs.input_gradient.size() &&
               costs.forward.size() == costs.weight_gradient.size(),
           "stage costs of unequal length");
    for (size_t i = 0; i < costs.forward.size(); ++i) {
      ranks_.push_back({.forward = static_cast<double>(costs.forward[i].ps),
                        .input_gradient = static_cast<double>(costs.input_gradient[i].ps),
                        .weight_gradient = static_cast<double>(costs.weight_gradient[i].ps)});
    }
  }

  SearchedOrder run() {
    warm_up();
    for (int b = 1; b < m_; ++b) {
      forward_round();
      backward_round();
    }
    SearchedOrder result{{}, 0};
    for (int i = 0; i < size(); ++i) {
      while (ranks_[i].weight_gradients < m_) put_weight(i);
      result.max_span = std::max(result.max_span, ranks_[i].end - ranks_[i].start);
      result.order.push_back(std::move(ranks_[i].order));
    }
    return result;
  }

 private:
  int size() const { return static_cast<int>(ranks_.size()); }

  // --- Placing passes ---

  /// Returns when the input of the rank's next F arrives.
  double forward_arrival(int i) const {
    return i > 0 ? ranks_[i - 1].forward_ends[ranks_[i].forwards] + hop_ : 0;
  }
  /// Returns when the gradient for the rank's next I arrives.
  double gradient_arrival(int i) const {
    return i + 1 < size() ? ranks_[i + 1].gradient_ends[ranks_[i].input_gradients] + hop_ : 0;
  }

  void advance(Rank& rank, double arrival, double duration) {
    const double begin = std::max(rank.end, arrival);
    if (rank.order.empty())
      rank.start = begin;
    else
      rank.bubble += begin - rank.end;
    rank.end = begin + duration;
  }

  void put_forward(int i) {
    Rank& rank = ranks_[i];
    advance(rank, forward_arrival(i), rank.forward);
    rank.order.push_back(forward(i, rank.forwards++));
    rank.forward_ends.push_back(rank.end);
    rank.held += 1;
  }
  void put_input_gradient(int i) {
    Rank& rank = ranks_[i];
    advance(rank, gradient_arrival(i), rank.input_gradient);
    rank.order.push_back(input_gradient(i, rank.input_gradients++));
    rank.gradient_ends.push_back(rank.end);
    rank.held -= memory_.freed_by_input_gradient;
  }
  void put_weight(int i) {
    Rank& rank = ranks_[i];
    advance(rank, 0, rank.weight_gradient);
    rank.order.push_back(weight_gradient(i, rank.weight_gradients++));
    rank.held -= 1 - memory_.freed_by_input_gradient;
  }

  // --- W's ---

  static bool has_weight(const Rank& rank) { return rank.weight_gradients < rank.input_gradients; }
  /// A little more than the limit passes: fractions of activations do not add up exactly.
  bool fits(double held) const { return held <= memory_.limit + 1e-6; }

  double worst_bubble() const { return std::ranges::max(ranks_, {}, &Rank::bubble).bubble; }

  /// W's while the rank waits for `arrival`.
  void fill_gap(int i, double arrival) {
    Rank& rank = ranks_[i];
    while (has_weight(rank) && rank.end + rank.weight_gradient <= arrival) put_weight(i);
    if (!has_weight(rank) || rank.end >= arrival) return;
    const bool small = arrival - rank.end <= worst_bubble() - rank.bubble;
    if (!small || choices_.fill_small_gaps) put_weight(i);
  }

  void make_room(int i) {
    while (!fits(ranks_[i].held + 1) && has_weight(ranks_[i])) put_weight(i);
  }

  // --- Rounds ---

  void warm_up() {
    for (int i = 0; i < size(); ++i) put_forward(i);
    const std::vector<int> more = warm_up_forwards();
    for (int i = 0; i < size(); ++i)
      for (int k = 0; k < more[i]; ++k) put_forward(i);
    for (int i = size() - 1; i >= 0; --i) put_input_gradient(i);
  }

  /// Returns how many F's after its first each rank does before its first I.
  std::vector<int> warm_up_forwards() const {
    std::vector<int> more(ranks_.size(), 0);
    double gradient_end = ranks_.back().end + ranks_.back().input_gradient;
    for (int i = size() - 2; i >= 0; --i) {
      const Rank& rank = ranks_[i];
      const double arrival = gradient_end + hop_;
      double end = rank.end;
      while (1 + more[i] < m_ && fits(rank.held + more[i] + 1)) {
        if (choices_.gap_before_first_backward ? end + rank.forward > arrival : end >= arrival)
          break;
        end += rank.forward;
        ++more[i];
      }
      gradient_end = std::max(end, arrival) + rank.input_gradient;
    }
    // Inputs come from the rank before, so each does one less than that; at the end none waits.
    for (int i = 1; i < size(); ++i) {
      const int most = 1 + more[i] < m_ ? more[i - 1] - 1 : more[i - 1];
      more[i] = std::max(0, std::min(more[i], most));
    }
    return more;
  }

  void forward_round() {
    std::vector<char> wanted(ranks_.size());
    for (int i = size() - 1; i >= 0; --i) {
      wanted[i] = ranks_[i].forwards < m_ && !better_wait_for_gradient(i) &&
                  (i + 1 == size() || wanted[i + 1]);
    }
    for (int i = 0; i < size(); ++i) {
      if (!wanted[i]) continue;
      make_room(i);
      if (i > 0) fill_gap(i, forward_arrival(i));
      put_forward(i);
    }
  }

  /// Tells whether the rank, two F's ahead of the next, should take that one's gradient before an
  /// F.
  bool better_wait_for_gradient(int i) const {
    if (!choices_.backward_first || i + 1 >= size()) return false;
    const Rank &rank = ranks_[i], &next = ranks_[i + 1];
    if (rank.forwards < next.forwards + 2) return false;
    const double gradient = next.end + next.forward + next.input_gradient + hop_;
    if (rank.end >= gradient) return true;
    double held = rank.held + 1, end = rank.end + rank.forward;
    for (int w = rank.weight_gradients; !fits(held) && w < rank.input_gradients; ++w) {
      held -= 1 - memory_.freed_by_input_gradient;
      end += rank.weight_gradient;
    }
    if (end <= gradient) return false;
    return gradient - rank.end <= worst_bubble() - rank.bubble;
  }

  void backward_round() {
    for (int i = size() - 1; i >= 0; --i) {
      if (i + 1 < size()) fill_gap(i, gradient_arrival(i));
      if (i == 0 && ranks_[0].forwards == m_)
        while (has_weight(ranks_[0])) put_weight(0);
      put_input_gradient(i);
    }
  }

  int m_;
  Memory memory_;
  Choices choices_;
  double hop_;
  std::vector<Rank> ranks_;
};

}  // namespace

SearchedOrder greedy_zero_bubble(const StageCosts& costs, int micro_batches, const Memory& memory,
                                 const Choices& choices) {
  return Greedy(costs, micro_batches, memory, choices).run();
}

}  // namespace pipewright::schedule
