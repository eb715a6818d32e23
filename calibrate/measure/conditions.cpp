// A figure of a kernel beside copies, or of a cold one, is held against the same kernel alone and
// warm, measured just before: what drifts between them is small.
#include "calibrate/measure/conditions.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "workload/workload_options.hpp"

namespace pipewright::calibration {
namespace {

constexpr int64_t allocated = int64_t{1} << 22;  // numbers: 16 MiB
constexpr int most_cores = 64;

DType product_type(bool gpu) { return gpu ? DType::bf16 : DType::fp32; }

Point product_of(bool gpu, int64_t size) {
  return {"gemm", Direction::forward, product_type(gpu), {size, size, size}};
}

std::vector<int> channels(bool gpu, bool quick) {
  if (quick) return {1};
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  std::vector<int> all;
  for (int n = 1; n <= (gpu ? 4 : std::min(cores, 8)); n *= 2) all.push_back(n);
  return all;
}

void add_times(Bench& bench, const Point& point, double memory_bandwidth,
               const ConditionOptions& options, Conditions& all) {
  const double alone = sample(bench.prepare(point), options.sampler).median_s;
  const double share = std::min(1.0, least_bytes(point) / memory_bandwidth / alone);
  for (const int count : channels(bench.is_gpu(), options.quick)) {
    double moved = 0;
    const Measured m = sample(bench.prepare_beside(point, count, moved), options.sampler);
    all.beside.push_back({.kernel = to_text(point),
                          .what = "copy",
                          .channels = count,
                          .alone_s = alone,
                          .beside_s = m.median_s,
                          .bytes_per_s = moved,
                          .memory_share = share});
  }
  SamplerOptions few = options.sampler;
  few.sample_s = 0;  // one call: what fills the caches takes far longer
  all.cache.push_back({to_text(point), alone, sample(bench.prepare_cold(point), few).median_s});
}

/// Keeps where this thread may run, and puts it back at the end.
class Cores {
 public:
  Cores() { known_ = sched_getaffinity(0, sizeof(all_), &all_) == 0; }
  ~Cores() {
    if (known_) sched_setaffinity(0, sizeof(all_), &all_);
  }
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

  bool run_on(int core) const {
    if (!known_ || !CPU_ISSET(core, &all_)) return false;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return sched_setaffinity(0, sizeof(one), &one) == 0;
  }

 private:
  cpu_set_t all_{};
  bool known_ = false;
};

RankSpread spread_over_cores(Bench& bench, const SamplerOptions& sampler) {
  const TimedCalls product = bench.prepare(product_of(false, 128));
  const Cores cores;
  std::vector<double> times;
  for (int core = 0; core < CPU_SETSIZE && std::ssize(times) < most_cores; ++core)
    if (cores.run_on(core)) times.push_back(sample(product, sampler).median_s);
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  double sum = 0;
  for (const double time : times) sum += time / median;
  return {static_cast<int>(times.size()), sum / static_cast<double>(times.size()),
          times.back() / median};
}

}  // namespace

std::vector<Point> kernels_beside(bool gpu, bool quick) {
  std::vector<Point> all = {product_of(gpu, gpu ? 4096 : 256)};
  if (!quick) {
    all.push_back(product_of(gpu, gpu ? 1024 : 128));
    all.push_back(product_of(gpu, gpu ? 8192 : 512));
  }
  all.push_back({"add", Direction::forward, DType::fp32, {gpu ? 1 << 26 : 1 << 20}});
  return all;
}

/// Returns the least bytes that a kernel moves: of a product its three matrices, of an addition two
/// numbers read and one written.
double least_bytes(const Point& point) {
  if (point.kernel == "add") return 3 * 4 * static_cast<double>(point.sizes[0]);
  const double m = double(point.sizes[0]), n = double(point.sizes[1]), k = double(point.sizes[2]);
  return element_bytes(point.dtype) * (m * k + k * n + m * n);
}

Watch::Watch(Bench& bench)
    : bench_(bench), first_(machine_state(bench.is_gpu())), first_s_(product()) {}

double Watch::product() {
  return sample(bench_.prepare(product_of(bench_.is_gpu(), bench_.is_gpu() ? 4096 : 256)),
                {.most_s = 0.05})
      .median_s;
}

Steadiness Watch::finish() {
  const double last_s = product();
  const MachineState last = machine_state(bench_.is_gpu());
  const double ticks = last.ticks - first_.ticks;
  return {.first_clock_hz = first_.clock_hz,
          .last_clock_hz = last.clock_hz,
          .slowdown = last_s / first_s_,
          .stolen = ticks > 0 ? std::clamp((last.stolen - first_.stolen) / ticks, 0.0, 1.0) : 0,
          .load = first_.load,
          .held = last.held};
}

Conditions measure_conditions(Bench& bench, double launch_s, double memory_bandwidth,
                              const ConditionOptions& options) {
  Conditions all{.launch_s = launch_s,
                 .first_allocation_s = bench.allocation_seconds(allocated),
                 .next_allocation_s = bench.allocation_seconds(allocated)};
  for (const Point& point : kernels_beside(bench.is_gpu(), options.quick))
    add_times(bench, point, memory_bandwidth, options, all);
  all.spread = bench.is_gpu() ? RankSpread{.ranks = 1} : spread_over_cores(bench, options.sampler);
  return all;
}

}  // namespace pipewright::calibration
