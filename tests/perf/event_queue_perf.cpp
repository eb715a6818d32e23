// The queue by itself, in the hold model: as many events as there are lanes, and each one taken
// comes back one length later. Against the standard library's binary heap of (time, id).
//
// Source: Jones, An empirical comparison of priority-queue and event-set implementations, Comm. ACM
// 29 (1986) 300-311.
#include "base/event_queue.hpp"

#include <benchmark/benchmark.h>

#include <queue>
#include <random>

namespace pipewright::test {
namespace {

class BinaryHeap {
 public:
  void push(Time time, uint32_t id) { heap_.push({time, id}); }
  Time take(std::vector<uint32_t>& ids) {
    const Time now = heap_.top().time;
    ids.clear();
    for (; !heap_.empty() && heap_.top().time == now; heap_.pop()) ids.push_back(heap_.top().id);
    return now;
  }

 private:
  struct Event {
    Time time;
    uint32_t id;
    auto operator<=>(const Event&) const = default;
  };
  std::priority_queue<Event, std::vector<Event>, std::greater<>> heap_;
};

/// Lengths of 10 and 20 ms, as they stand or each a little different.
std::vector<Time> lengths(bool uneven) {
  std::mt19937_64 random(1);
  std::vector<Time> lengths(4096);
  for (Time& time : lengths) {
    time = milliseconds(random() % 2 ? 10 : 20);
    if (uneven) time.ps += static_cast<int64_t>(random() % 1'000'000'000);
  }
  return lengths;
}

template <class Queue>
void hold(benchmark::State& state, bool uneven) {
  const std::vector<Time> length = lengths(uneven);
  Queue queue;
  for (uint32_t id = 0; id < state.range(0); ++id) queue.push(length[id % length.size()], id);
  std::vector<uint32_t> ids;
  size_t events = 0;
  for (auto _ : state) {
    const Time now = queue.take(ids);
    for (const uint32_t id : ids) queue.push(now + length[events++ % length.size()], id);
  }
  using benchmark::Counter;
  state.counters["s/event"] =
      Counter(static_cast<double>(events), Counter::kIsRate | Counter::kInvert);
}

void radix_heap(benchmark::State& state) { hold<EventQueue>(state, false); }
void radix_heap_uneven(benchmark::State& state) { hold<EventQueue>(state, true); }
void binary_heap(benchmark::State& state) { hold<BinaryHeap>(state, false); }
void binary_heap_uneven(benchmark::State& state) { hold<BinaryHeap>(state, true); }
BENCHMARK(radix_heap)->RangeMultiplier(8)->Range(16, 65536);
BENCHMARK(radix_heap_uneven)->RangeMultiplier(8)->Range(16, 65536);
BENCHMARK(binary_heap)->RangeMultiplier(8)->Range(16, 65536);
BENCHMARK(binary_heap_uneven)->RangeMultiplier(8)->Range(16, 65536);

}  // namespace
}  // namespace pipewright::test
