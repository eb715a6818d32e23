// What one kernel time costs: from the memo, where an op finds it, and worked out from the profile,
// once for each shape of a run.
#include <benchmark/benchmark.h>

#include "cost/kernel_memo.hpp"
#include "cost/profile_cost.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::test {
namespace {

struct Measured {
  Device device;
  ProfileCost cost;
};

Measured h100() {
  const config::Catalogue catalogue;
  const Device device = read_device(config::scalar("h100-sxm"), catalogue);
  return {device, ProfileCost(*profile_of(device, catalogue))};
}

/// The products of layers of several widths.
std::vector<Work> products() {
  std::vector<Work> all;
  for (const int64_t width : {2048, 4096, 6144, 8192})
    for (const int64_t tokens : {1024, 2048, 4096, 8192})
      for (const int64_t wider : {1, 3, 4}) {
        const int64_t n = wider * width;
        all.push_back({.kernel = Kernel::gemm,
                       .dtype = DType::bf16,
                       .flops = 2.0 * static_cast<double>(tokens * n * width),
                       .read = Bytes{2 * (tokens * width + width * n)},
                       .written = Bytes{2 * tokens * n},
                       .shape = {1, tokens, n, width}});
      }
  return all;
}

void kernel_time_remembered(benchmark::State& state) {
  const Measured measured = h100();
  const std::vector<Work> works = products();
  KernelMemo memo;
  size_t i = 0;
  for (auto _ : state) {
    const Work& work = works[i++ % works.size()];
    benchmark::DoNotOptimize(
        memo.of(work, 0, [&] { return measured.cost.duration(work, measured.device); }));
  }
}
BENCHMARK(kernel_time_remembered);

void kernel_time_first(benchmark::State& state) {
  const Measured measured = h100();
  const std::vector<Work> works = products();
  size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(measured.cost.duration(works[i++ % works.size()], measured.device));
}
BENCHMARK(kernel_time_first)->Unit(benchmark::kMicrosecond);

void profile_load(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(h100());
}
BENCHMARK(profile_load)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipewright::test
