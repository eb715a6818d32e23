// What an op of a live replay costs beside its work: 1F1B of ops that do nothing, on the threads of
// this process. A thread that waits for another is woken up, which is most of it; a rank alone
// hands its ops to nobody.
#include <benchmark/benchmark.h>

#include "calibrate/live/executor/executor.hpp"
#include "support/jobs.hpp"

namespace pipewright::test {
namespace {

struct Nothing final : live::DeviceWork {
  void compute(OpId) override {}
  void communicate(OpId) override {}
};

void run_empty_ops(benchmark::State& state) {
  const Program program =
      PipelineJob{.p = static_cast<int>(state.range(0)), .d = 1, .m = 1000}.program();
  Nothing work;
  for (auto _ : state) live::run_live(program, work);
  using benchmark::Counter;
  const auto ops = static_cast<double>(program.ops.size());
  state.counters["ops"] = ops;
  state.counters["s/op"] = Counter(ops, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

BENCHMARK(run_empty_ops)->Name("replay/ranks")->Arg(1)->Arg(2)->Arg(4)->UseRealTime();

}  // namespace
}  // namespace pipewright::test
