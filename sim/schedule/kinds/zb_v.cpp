// ZB-V (arXiv 2401.10241, section 5): two chunks a rank in a V, zero bubble with 1F1B's memory.
//
// Rank i holds stage a = i and stage z = 2p-1-i. Its order: Fa x (2(p-i)-1); (Fz Fa) x i;
// (Fz Iz Wz) x (p-i); while forwards remain [Fa] Ia Wa Fz Iz Wz; (Ia Iz) x i; (Ia Wa) x (p-i);
// then the remaining Wz and the remaining Wa. Below m = 2p-1 the order is that of 2p-1
// micro-batches without the surplus.
// 2p chunks from F to W on every rank (a whole rank holds 2: 1F1B's p). One weight version. For
// tF = tI = tW = t (per chunk) and m >= 2p-1: max span = 6mt, makespan = (6m + p - 1)t.
// The turn at rank p-1 is local: 2(2p-2) messages per micro-batch.
#include <algorithm>

#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

/// The passes of one chunk, each handed out in micro-batch order.
struct Chunk {
  Order& order;
  int stage;
  int forwards = 0, input_gradients = 0, weight_gradients = 0;

  void f() { order.push_back(forward(stage, forwards++)); }
  void i() { order.push_back(input_gradient(stage, input_gradients++)); }
  void w() { order.push_back(weight_gradient(stage, weight_gradients++)); }
};

/// The order of rank `i` of `p` for m >= 2p-1 micro-batches.
void append_zb_v(Order& order, int p, int i, int m) {
  Chunk a{order, i}, z{order, 2 * p - 1 - i};
  for (int k = 0; k < 2 * (p - i) - 1; ++k) a.f();
  for (int k = 0; k < i; ++k) z.f(), a.f();
  for (int k = 0; k < p - i; ++k) z.f(), z.i(), z.w();
  while (z.forwards < m) {
    if (a.forwards < m) a.f();
    a.i(), a.w(), z.f(), z.i(), z.w();
  }
  for (int k = 0; k < i; ++k) a.i(), z.i();
  for (int k = 0; k < p - i; ++k) a.i(), a.w();
  while (z.weight_gradients < m) z.w();
  while (a.weight_gradients < m) a.w();
}

Schedule build_zb_v(const Shape& shape, const config::Value& options) {
  fields_of(kind::zb_v, options);  // it has none
  const int p = shape.ranks, m = shape.micro_batches;
  Schedule schedule = make(shape, 2 * p);
  for (int i = 0; i < p; ++i) {
    Order& order = schedule.order[i];
    append_zb_v(order, p, i, std::max(m, 2 * p - 1));
    std::erase_if(order, [m](const Action& action) { return action.micro_batch >= m; });
  }
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::zb_v{"zb-v",
                      {"ZBVZeroBubble"},
                      "zero bubble with 1F1B's memory: two chunks a rank in a V",
                      build_zb_v};

}  // namespace pipewright::schedule
