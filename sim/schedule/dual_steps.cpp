// The steps of a rank, with h ranks from the near end to the turn, r this rank's position, n
// micro-batches of each stream, 0 the near stream and 1 the far one:
//   (1) F0 x 2(h-r-1)                 (2) (F0 F1) x (r+1)
//   (3) (I1 W1 F1) x (h-r-1)          (4) (F0|B1, F1|B0) x (n-2h+r+1), "|" is an overlapped pair
//   (5) (B1, F1|B0) x (h-r-1)         (6) (B1 B0) x (r+1), the second half of them I for B
//   (7) (W, I0) x (h-r-1)             (8) W x (r+1); W's in the order of their I's
// At the turn (r = h-1) the very first F0 and B1 of (4) run one after the other.
#include "schedule/dual_steps.hpp"

#include <deque>

namespace pipewright::schedule {
namespace {

class Steps {
 public:
  Steps(Order& order, const DualRank& rank) : order_(order), rank_(rank) {}

  void run() {
    const int h = rank_.half, r = rank_.position, outside = h - r - 1;
    for (int k = 0; k < 2 * outside; ++k) f(near_);
    for (int k = 0; k <= r; ++k) f(near_), f(far_);
    for (int k = 0; k < outside; ++k) i(far_), w(), f(far_);
    for (int k = 0; k < rank_.micro_batches - 2 * h + r + 1; ++k) {
      pair(near_, far_, k > 0 || outside > 0);
      pair(far_, near_, true);
    }
    for (int k = 0; k < outside; ++k) b(far_), pair(far_, near_, true);
    for (int k = 0; k < 2 * (r + 1); ++k) {
      Side& side = k % 2 == 0 ? far_ : near_;
      k > r ? i(side) : b(side);
    }
    for (int k = 0; k < outside; ++k) w(), i(near_);
    for (int k = 0; k <= r; ++k) w();
  }

 private:
  struct Side {
    Stream stream;
    int forwards = 0, backwards = 0;
  };

  static int next(const Side& side, int& count) { return side.stream.first_micro_batch + count++; }
  void f(Side& side) { order_.push_back(forward(side.stream.stage, next(side, side.forwards))); }
  void b(Side& side) { order_.push_back(backward(side.stream.stage, next(side, side.backwards))); }
  void i(Side& side) {
    order_.push_back(input_gradient(side.stream.stage, next(side, side.backwards)));
    waiting_.push_back(order_.back());
  }
  void w() {
    Action action = waiting_.front();
    waiting_.pop_front();
    action.pass = Pass::weight_gradient;
    order_.push_back(action);
  }
  void pair(Side& forwards, Side& backwards, bool overlap) {
    f(forwards);
    order_.back().pairs_with_next = overlap && rank_.overlap;
    b(backwards);
  }

  Order& order_;
  const DualRank& rank_;
  Side near_{rank_.near}, far_{rank_.far};
  std::deque<Action> waiting_;  // I's whose W is still to come
};

}  // namespace

void append_dual_steps(Order& order, const DualRank& rank) { Steps(order, rank).run(); }

}  // namespace pipewright::schedule
