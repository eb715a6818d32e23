// BPipe (Kim et al., ICML 2023): 1F1B in which early stages keep part of their activations in the
// memory of late ones.
//
// Order, time and in-flight count of 1F1B. A rank i < p/2 keeps at most c = ceil((p+2)/2) of its
// p-i activations: when c are there, the one needed last leaves for rank p-1-i before the next F;
// after each B the one needed soonest comes back. In steady state that is one each way for every
// micro-batch. Rank p-1-i holds i+1 of its own and at most p-i-c guests, so nobody holds more than
// c, however long a move takes: the next F waits until the space is free, and a guest comes only
// when one of the host's c-(i+1) places is. What travels, and when, is Schedule::evictions: it
// leaves as soon as it may, beside the passes. peak_in_flight still counts an activation from F to
// B, wherever it is. Like 1F1B, all of it starts anew in every iteration.
// The pair i, p-1-i belongs on one node, which is for the placement to see to.
#include <set>

#include "schedule/kinds/registry.hpp"
#include "schedule/one_f_one_b.hpp"

namespace pipewright::schedule {
namespace {

struct Resident {
  int micro_batch;
  int position;  // of its F
  auto operator<=>(const Resident&) const = default;
};

/// Returns what leaves `rank` and when it may return. Backwards go in the order of the
/// micro-batches, so the least micro-batch is needed soonest.
std::vector<Eviction> evict(const Order& order, int rank, int host, size_t capacity) {
  std::vector<Eviction> result;
  std::set<Resident> here;
  size_t returned = 0;  // of result: what leaves first is needed first
  for (int k = 0; k < static_cast<int>(order.size()); ++k) {
    const Action& a = order[k];
    if (a.pass == Pass::forward) {
      if (here.size() == capacity) {
        const Resident last = *here.rbegin();
        result.push_back({a.stage, last.micro_batch, rank, host, last.position, 0});
        here.erase(last);
      }
      here.insert({a.micro_batch, k});
      continue;
    }
    ensure(here.begin()->micro_batch == a.micro_batch,
           "a backward needs an activation that is away");
    here.erase(here.begin());
    if (returned == result.size()) continue;
    result[returned].returns_after = k;
    here.insert({result[returned].micro_batch, result[returned].leaves_after});
    ++returned;
  }
  return result;
}

Schedule build_bpipe(const Shape& shape, const config::Value& options) {
  fields_of(kind::bpipe, options);  // it has none
  const int p = shape.ranks;
  Schedule schedule = one_f_one_b_schedule(shape);
  const auto capacity = static_cast<size_t>((p + 3) / 2);  // ceil((p + 2) / 2)
  for (int i = 0; i < p / 2; ++i) {
    const int first = static_cast<int>(schedule.evictions.size());
    const int places = static_cast<int>(capacity) - (i + 1);
    for (Eviction move : evict(schedule.order[i], i, p - 1 - i, capacity)) {
      const int before = static_cast<int>(schedule.evictions.size()) - places;
      if (before >= first) move.room_from = before;
      schedule.evictions.push_back(move);
    }
  }
  return schedule;
}

}  // namespace

const Kind kind::bpipe{
    "bpipe", {}, "1F1B; early ranks keep activations in the memory of late ones", build_bpipe};

}  // namespace pipewright::schedule
