#include "schedule/building_block.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace pipewright::schedule {
namespace {

enum Kind : int8_t { f_first, f_second, i_second, i_first, w, kinds_count, idle = -1 };
bool is_forward(int kind) { return kind == f_first || kind == f_second; }
bool is_input_gradient(int kind) { return kind == i_second || kind == i_first; }

/// The slots of one rank: of every pass, by kind and micro-batch. W's are only counted: the k-th W
/// belongs to the k-th I.
using Slots = std::array<std::vector<int>, kinds_count>;

/// A pass somewhere in the pattern.
struct Slotted {
  int slot, rank, kind, index;
  auto operator<=>(const Slotted&) const = default;
};

std::vector<Slotted> in_time_order(const std::vector<Slots>& ranks) {
  std::vector<Slotted> all;
  for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank)
    for (int kind = 0; kind < kinds_count; ++kind)
      for (int k = 0; k < static_cast<int>(ranks[rank][kind].size()); ++k)
        all.push_back({ranks[rank][kind][k], rank, kind, k});
  std::ranges::sort(all);
  return all;
}

/// The slots of one rank as a row, each with the chunks held at its end.
class Row {
 public:
  /// `fill`: a W runs in every idle slot that has one to run; else W's stand where they stand.
  Row(const Slots& slots, bool fill) : fill_(fill) {
    int last = 0;
    for (const std::vector<int>& of_kind : slots)
      if (!of_kind.empty()) last = std::max(last, of_kind.back());
    kinds_.assign(static_cast<size_t>(last) + 1, idle);
    states_.resize(kinds_.size());
    for (int kind = 0; kind < kinds_count; ++kind)
      for (int slot : slots[kind]) kinds_[slot] = static_cast<int8_t>(kind);
    recount(0, last);
  }

  int peak() const { return std::ranges::max(states_, {}, &State::held).held; }
  bool is_idle(int slot) const { return kinds_[slot] == idle; }

  /// Moves the pass at `from` to the idle slot `to` before it, unless more than `most` chunks
  /// would then be held at some time.
  bool move(int from, int to, int most) {
    std::swap(kinds_[from], kinds_[to]);
    if (recount(to, from) <= most) return true;
    std::swap(kinds_[from], kinds_[to]);
    recount(to, from);
    return false;
  }

 private:
  struct State {
    int held = 0, waiting = 0;  // chunks; I's without W
    bool operator==(const State&) const = default;
  };

  /// States anew from `from` on, until after `to` they are what they were. The most held there.
  int recount(int from, int to) {
    State state = from > 0 ? states_[from - 1] : State{};
    int most = 0;
    for (int slot = from; slot < static_cast<int>(kinds_.size()); ++slot) {
      state = after(state, kinds_[slot]);
      most = std::max(most, state.held);
      if (slot > to && state == states_[slot]) break;
      states_[slot] = state;
    }
    return most;
  }

  State after(State state, int kind) const {
    if (kind == idle && fill_ && state.waiting > 0) kind = w;
    state.held += is_forward(kind) - (kind == w);
    state.waiting += is_input_gradient(kind) - (kind == w);
    return state;
  }

  bool fill_;
  std::vector<int8_t> kinds_;
  std::vector<State> states_;
};

/// The W's of one rank in its idle slots, oldest I first, and after its last pass.
void place_weight_gradients(Slots& slots) {
  const size_t all = slots[i_first].size() + slots[i_second].size();
  const int last = slots[i_first].back();
  std::array<size_t, kinds_count> done{};
  size_t waiting = 0;
  slots[w].clear();
  for (int slot = 0; slots[w].size() < all; ++slot) {
    int here = idle;
    for (int kind = 0; kind < w && slot <= last; ++kind)
      if (done[kind] < slots[kind].size() && slots[kind][done[kind]] == slot) here = kind;
    if (here != idle) {
      ++done[here];
      waiting += is_input_gradient(here);
    } else if (waiting > 0) {
      slots[w].push_back(slot), --waiting;
    }
  }
}

/// Moves passes of warm-up and drain to earlier idle slots.
class Squeeze {
 public:
  /// `fill` as in Row; then only the drain moves.
  Squeeze(std::vector<Slots>& ranks, bool fill) : ranks_(ranks), fill_(fill) {
    for (const Slots& slots : ranks) rows_.emplace_back(slots, fill);
    for (const Row& row : rows_) most_ = std::max(most_, row.peak());
  }

  void run() {
    const int last = static_cast<int>(ranks_[0][f_first].size()) - 1;
    enum { warm_up, steady, drain } phase = warm_up;
    for (const Slotted& pass : in_time_order(ranks_)) {
      if (phase == warm_up && pass.kind == i_first && pass.rank == 0) phase = steady;
      const bool moves = phase == drain || (phase == warm_up && !fill_);
      if (phase == steady && pass.kind == f_first && pass.index == last) phase = drain;
      if (moves) move_forward(pass);
    }
  }

 private:
  void move_forward(const Slotted& pass) {
    Row& row = rows_[pass.rank];
    for (int slot = earliest(pass); slot < pass.slot; ++slot) {
      if (!row.is_idle(slot) || !row.move(pass.slot, slot, most_)) continue;
      ranks_[pass.rank][pass.kind][pass.index] = slot;
      return;
    }
  }

  /// The slot after the last of the pass's inputs and the one before it of its kind.
  int earliest(const Slotted& pass) const {
    const auto [slot, rank, kind, k] = pass;
    const int before = kind == f_first || kind == i_second ? rank - 1 : rank + 1;
    int last = k > 0 ? ranks_[rank][kind][k - 1] : -1;
    if (kind == w) return std::max(last, kth_input_gradient(ranks_[rank], k)) + 1;
    if (before >= 0 && before < static_cast<int>(ranks_.size()))
      last = std::max(last, ranks_[before][kind][k]);
    if (kind > 0) last = std::max(last, ranks_[rank][kind - 1][k]);
    return last + 1;
  }

  static int kth_input_gradient(const Slots& slots, int k) {
    const std::vector<int>&a = slots[i_first], &b = slots[i_second];
    size_t at_a = 0, at_b = 0;
    int slot = 0;
    for (int passed = 0; passed <= k; ++passed)
      slot = at_b == b.size() || (at_a < a.size() && a[at_a] < b[at_b]) ? a[at_a++] : b[at_b++];
    return slot;
  }

  std::vector<Slots>& ranks_;
  bool fill_;
  std::vector<Row> rows_;
  int most_ = 0;
};

/// Every pass as early as the order and its inputs allow, one slot each.
void run_eagerly(std::vector<Slots>& ranks) {
  const std::vector<Slotted> passes = in_time_order(ranks);
  std::vector<int> free(ranks.size(), 0);
  for (const auto& [slot, rank, kind, k] : passes) {
    const int before = kind == f_first || kind == i_second ? rank - 1 : rank + 1;
    int start = free[rank];
    if (kind != w && before >= 0 && before < static_cast<int>(ranks.size()))
      start = std::max(start, ranks[before][kind][k] + 1);
    if (kind != w && kind > 0) start = std::max(start, ranks[rank][kind - 1][k] + 1);
    ranks[rank][kind][k] = start;
    free[rank] = start + 1;
  }
}

/// The passes of one rank by slot, each W given to the second chunk as long as it has one waiting.
Order order_of(const Slots& slots, int rank, int ranks) {
  const int first = rank, second = 2 * ranks - 1 - rank;
  Order order;
  int weights_first = 0, weights_second = 0, waiting_second = 0;
  for (const Slotted& pass : in_time_order({slots})) {
    const int b = pass.index;
    switch (pass.kind) {
      case f_first:
        order.push_back(forward(first, b));
        break;
      case f_second:
        order.push_back(forward(second, b));
        break;
      case i_first:
        order.push_back(input_gradient(first, b));
        break;
      case i_second:
        order.push_back(input_gradient(second, b)), ++waiting_second;
        break;
      default:
        if (waiting_second > 0) {
          order.push_back(weight_gradient(second, weights_second++)), --waiting_second;
        } else {
          order.push_back(weight_gradient(first, weights_first++));
        }
    }
  }
  return order;
}

Slots repeated(const Block& block, int micro_batches) {
  Slots slots;
  for (int b = 0; b < micro_batches; ++b) {
    slots[f_first].push_back(block.forward_first + b * block_interval);
    slots[f_second].push_back(block.forward_second + b * block_interval);
    slots[i_second].push_back(block.gradient_second + b * block_interval);
    slots[i_first].push_back(block.gradient_first + b * block_interval);
  }
  return slots;
}

}  // namespace

Schedule repeat_block(const Shape& shape, const std::vector<Block>& blocks) {
  std::vector<Slots> ranks;
  ranks.reserve(blocks.size());
  for (const Block& block : blocks) ranks.push_back(repeated(block, shape.micro_batches));
  for (Slots& slots : ranks) place_weight_gradients(slots);
  Squeeze(ranks, false).run();
  run_eagerly(ranks);
  for (Slots& slots : ranks) slots[w].clear();
  Squeeze(ranks, true).run();
  for (Slots& slots : ranks) place_weight_gradients(slots);
  run_eagerly(ranks);
  for (Slots& slots : ranks) place_weight_gradients(slots);
  Schedule schedule = make(shape, 2 * shape.ranks);
  for (int i = 0; i < shape.ranks; ++i) schedule.order[i] = order_of(ranks[i], i, shape.ranks);
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace pipewright::schedule
