// Speed and memory of lowering and of the engines: two jobs of the field, and the growth of the
// first from 10^4 to 10^7 ops.
//   longest_path   lanes in order: no queue
//   events         the same by the event engine, for which nothing has to queue either
//   queued         every compute op through the queue; _uneven: and no two ops at one time
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "memory.hpp"
#include "support/jobs.hpp"

namespace pipewright::test {
namespace {

using benchmark::Counter;

struct Job {
  Program program;
  std::vector<Time> durations;
};

template <class Shape>
Job make_job(const Shape& shape) {
  Job job{shape.program(), {}};
  job.durations = job_durations(job.program);
  return job;
}

/// About 10^`exponent` ops.
Job pipeline_of(int64_t exponent) {
  const double replicas = std::pow(10, static_cast<double>(exponent)) / 7936;
  return make_job(PipelineJob{.d = std::max(1, static_cast<int>(std::lround(replicas)))});
}

/// The most bytes that `action` holds at once.
template <class F>
double peak_of(F&& action) {
  reset_peak();
  const size_t before = live_bytes();
  action();
  return static_cast<double>(peak_bytes() - before);
}

void report_ops(benchmark::State& state, double ops, double bytes) {
  state.counters["ops"] = ops;
  state.counters["bytes/op"] = bytes / ops;
  state.counters["ops/s"] = Counter(ops, Counter::kIsIterationInvariantRate);
  state.counters["s/op"] = Counter(ops, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

template <class Run>
void measure_run(benchmark::State& state, const Job& job, Run run) {
  for (auto _ : state) benchmark::DoNotOptimize(run(job.program, job.durations));
  const double bytes = peak_of([&] { run(job.program, job.durations); });
  report_ops(state, static_cast<double>(job.program.ops.size()), bytes);
}

Timeline event_engine(const Program& program, std::span<const Time> durations) {
  return run_events(program, durations);
}

Job with_queue(Job job) { return {with_choices(job.program), std::move(job.durations)}; }
Job unevenly(Job job) { return {std::move(job.program), uneven(std::move(job.durations))}; }

/// Schedule, lowering, lengths and run, from nothing to the timeline.
template <class Shape>
void whole(benchmark::State& state, const Shape& shape) {
  const auto run = [&] {
    const Job job = make_job(shape);
    benchmark::DoNotOptimize(simulate(job.program, job.durations));
  };
  for (auto _ : state) run();
  state.counters["peak_MiB"] = peak_of(run) / (1 << 20);
}

void whole_pp1024(benchmark::State& state) { whole(state, PipelineJob{}); }
void whole_3d512(benchmark::State& state) { whole(state, GridJob{}); }
BENCHMARK(whole_pp1024)->Unit(benchmark::kMillisecond);
BENCHMARK(whole_3d512)->Unit(benchmark::kMillisecond);

void longest_path_3d512(benchmark::State& state) {
  measure_run(state, make_job(GridJob{}), run_longest_path);
}
void events_3d512(benchmark::State& state) {
  measure_run(state, make_job(GridJob{}), event_engine);
}
void queued_3d512(benchmark::State& state) {
  measure_run(state, with_queue(make_job(GridJob{})), event_engine);
}
BENCHMARK(longest_path_3d512)->Unit(benchmark::kMillisecond);
BENCHMARK(events_3d512)->Unit(benchmark::kMillisecond);
BENCHMARK(queued_3d512)->Unit(benchmark::kMillisecond);

void longest_path(benchmark::State& state) {
  measure_run(state, pipeline_of(state.range(0)), run_longest_path);
}
void events(benchmark::State& state) {
  measure_run(state, pipeline_of(state.range(0)), event_engine);
}
void queued(benchmark::State& state) {
  measure_run(state, with_queue(pipeline_of(state.range(0))), event_engine);
}
void queued_uneven(benchmark::State& state) {
  measure_run(state, unevenly(with_queue(pipeline_of(state.range(0)))), event_engine);
}
BENCHMARK(longest_path)->DenseRange(4, 7)->Unit(benchmark::kMillisecond);
BENCHMARK(events)->DenseRange(4, 7)->Unit(benchmark::kMillisecond);
BENCHMARK(queued)->DenseRange(4, 7)->Unit(benchmark::kMillisecond);
BENCHMARK(queued_uneven)->DenseRange(4, 7)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipewright::test

BENCHMARK_MAIN();
