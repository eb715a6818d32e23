// A GOAL trace of a million ops, read and run.
#include <benchmark/benchmark.h>

#include <sstream>

#include "interop/goal.hpp"
#include "interop/goal_writer.hpp"
#include "support/price_rules.hpp"
#include "trace/trace.hpp"

namespace pipewright {
namespace {

/// 64 ranks around a ring, step after step: a calc, a message on, a message in.
std::string ring_text(uint32_t steps) {
  constexpr uint32_t ranks = 64;
  std::ostringstream out;
  goal::Writer writer(out);
  writer.num_ranks(ranks);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    writer.begin_rank(rank);
    uint32_t received = 0;
    for (uint32_t step = 0; step < steps; ++step) {
      const uint32_t calc = writer.calc(1000 + (rank * 31 + step * 17) % 100, 0);
      if (step > 0) writer.requires_end(calc, received);
      writer.requires_end(writer.send(4096, (rank + 1) % ranks, step, 1), calc);
      received = writer.recv(4096, (rank + ranks - 1) % ranks, step, 1);
    }
    writer.end_rank();
  }
  writer.flush();
  return out.str();
}

void read_goal(benchmark::State& state) {
  const std::string text = ring_text(static_cast<uint32_t>(state.range(0)));
  size_t ops = 0;
  for (auto _ : state) ops = goal::parse(text, "ring.goal").ops.size();
  state.SetBytesProcessed(static_cast<int64_t>(text.size() * state.iterations()));
  state.SetItemsProcessed(static_cast<int64_t>(ops * state.iterations()));
}
BENCHMARK(read_goal)->Arg(5208)->Unit(benchmark::kMillisecond);

void run_goal(benchmark::State& state) {
  const goal::Goal goal =
      goal::parse(ring_text(static_cast<uint32_t>(state.range(0))), "ring.goal");
  const Prices prices =
      test::prices_by({.transfer = [](int32_t, int32_t, Bytes) { return microseconds(3); }});
  double engine_s = 0;
  for (auto _ : state) engine_s += run_trace(goal, prices).wall_s;
  state.SetItemsProcessed(static_cast<int64_t>(goal.ops.size() * state.iterations()));
  state.counters["engine_ops/s"] =
      static_cast<double>(goal.ops.size() * state.iterations()) / engine_s;
}
BENCHMARK(run_goal)->Arg(5208)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipewright
