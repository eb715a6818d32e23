// How many points of a study closed forms look at in a second, and how much memory a point takes.
#include <benchmark/benchmark.h>

#include "config/catalogue.hpp"
#include "machine/machine_cache.hpp"
#include "machine/run_options.hpp"
#include "memory.hpp"
#include "study/screening.hpp"

namespace pipewright::test {
namespace {

/// 4 x 13 x 2 x 3 x 2 x 13 = 8,112 points for each of `batches` global batches.
Study turing(int64_t batches, const config::Catalogue& catalogue) {
  config::Value study = catalogue.load("studies", config::scalar("turing-530b"));
  config::Value list;
  list.kind = config::Value::Kind::list;
  for (int64_t i = 1; i <= batches; ++i) list.items.push_back(config::number(2520 * i));
  study.find("vary")->set("batch.global", list);
  return read_study(study, catalogue);
}

void screening(benchmark::State& state) {
  const config::Catalogue catalogue;
  const size_t before = live_bytes();
  const Study study = turing(state.range(0), catalogue);
  const auto points = static_cast<double>(study.points.size());
  state.counters["bytes_a_point"] = static_cast<double>(live_bytes() - before) / points;
  for (auto _ : state) {
    RunOptions options;
    options.machines = std::make_shared<MachineCache>();
    Screening screening(study, catalogue, options);
    for (const StudyPoint& point : study.points) benchmark::DoNotOptimize(screening.of(point));
  }
  state.counters["points_per_s"] = benchmark::Counter(
      points * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(screening)->Arg(1)->Arg(12)->Arg(123)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipewright::test
