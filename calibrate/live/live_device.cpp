#include "calibrate/live/live_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "base/required.hpp"
#include "calibrate/live/executor/alone.hpp"
#include "calibrate/live/executor/device_numbers.hpp"
#include "calibrate/live/executor/device_run.hpp"
#include "calibrate/live/executor/process_run.hpp"
#include "calibrate/live/executor/shared_cores.hpp"
#include "calibrate/live/executor/stream_executor.hpp"
#include "calibrate/live/work/timed_work.hpp"
#include "engine/engine.hpp"

namespace pipewright::live {
namespace {

/// Nothing ends while the longest op runs; a stuck run is told from that with room to spare.
std::chrono::milliseconds patience_for(const Timeline& predicted) {
  Time longest;
  for (const Span& span : predicted.spans) longest = std::max(longest, span.end - span.start);
  return std::chrono::milliseconds(2 * longest.ps / milliseconds(1).ps);
}

/// The most copies that are run at once; more take memory and tell little more.
constexpr int most_copies = 8;

int cores_here() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

class Cpu final : public LiveDevice {
 public:
  std::string backend() const override { return "cpu"; }
  std::string description() const override { return "CPU threads"; }
  kernels::Kernels& kernels() override { return *kernels_; }
  Timeline predict(const Program& program, const OpTimes& times) const override {
    return simulate_on_cores(program, times, cores_here());
  }
  int copies_at_once(const Program& program) const override {
    return std::min({cores_here(), static_cast<int>(program.ranks.size()), most_copies});
  }
  std::unique_ptr<DeviceWork> waiting(std::vector<Time> durations) override {
    return std::make_unique<TimedWork>(std::move(durations));
  }
  Timeline run(const Program& program, DeviceWork& work, const Timeline& predicted) override {
    return run_live(program, work,
                    {.watchdog = ExecutorOptions{}.watchdog + patience_for(predicted)});
  }
  std::vector<Timeline> run_alone(const Program& program,
                                  std::span<DeviceWork* const> copies) override {
    return live::run_alone(program, copies);
  }

 private:
  std::unique_ptr<kernels::Kernels> kernels_ = kernels::cpu_kernels();
};

std::string hosts_of_ranks(const transport::Session& session) {
  const std::set<std::string> hosts(session.hosts().begin(), session.hosts().end());
  return fmt::format("{} host{}", hosts.size(), hosts.size() == 1 ? "" : "s");
}

class Processes final : public LiveDevice {
 public:
  Processes(transport::Session& session, KeepTimeline keep)
      : session_(session), keep_(std::move(keep)) {}
  std::string backend() const override { return "cpu"; }
  std::string description() const override {
    return fmt::format("{} processes on {}", session_.size(), hosts_of_ranks(session_));
  }
  std::string timing() const override {
    return "compute waiting its predicted time, messages over the network";
  }
  kernels::Kernels& kernels() override { return *kernels_; }
  std::unique_ptr<DeviceWork> waiting(std::vector<Time> durations) override {
    return std::make_unique<TimedWork>(std::move(durations));
  }
  Timeline run(const Program& program, DeviceWork& work, const Timeline& predicted) override {
    session_.be_patient(patience_for(predicted));
    return run_over_processes(program, work, session_, keep_);
  }
  std::vector<Timeline> run_alone(const Program& program,
                                  std::span<DeviceWork* const> copies) override {
    return live::run_alone(program, copies);
  }

 private:
  transport::Session& session_;
  KeepTimeline keep_;
  std::unique_ptr<kernels::Kernels> kernels_ = kernels::cpu_kernels();
};

class Gpus final : public LiveDevice {
 public:
  Gpus(transport::Session& session, RankGpu gpu, KeepTimeline keep)
      : session_(session), keep_(std::move(keep)), gpu_(std::move(gpu)) {}
  std::string backend() const override { return "cuda"; }
  std::string description() const override {
    return fmt::format("{} GPUs on {}, rank 0 has {}, {} between them", session_.size(),
                       hosts_of_ranks(session_), gpu_.device.name, gpu_.links->library());
  }
  std::string timing() const override {
    return "compute waiting its predicted time, messages between GPUs";
  }
  std::optional<kernels::CudaDevice> gpu() const override { return gpu_.device; }
  kernels::Kernels& kernels() override { return *gpu_.kernels; }
  std::unique_ptr<DeviceWork> waiting(std::vector<Time> durations) override {
    return std::make_unique<SpinWork>(std::move(durations), *gpu_.streams);
  }
  Timeline run(const Program& program, DeviceWork& work, const Timeline& predicted) override {
    const auto rank = static_cast<uint32_t>(session_.rank());
    if (!share_) {
      share_ = device_share(program, rank, predicted);
      gpu_.links->open(share_->channels);
    }
    const std::unique_ptr<DevicePayloads> payloads =
        payloads_of(program, rank, work.number_exchange());
    session_.be_patient(patience_for(predicted));
    return run_on_devices(program, *share_, work, *gpu_.streams, *payloads, *gpu_.links, session_,
                          keep_);
  }
  Time time_alone(DeviceWork& work, OpId op) override {
    kernels::Streams& streams = *gpu_.streams;
    streams.select(0, 0);
    streams.spin(kernels::head_start);
    streams.mark(start_mark(op));
    work.compute(op);
    streams.mark(end_mark(op));
    streams.reach(end_mark(op));
    return streams.between(start_mark(op), end_mark(op));
  }
  std::vector<Timeline> run_alone(const Program& program,
                                  std::span<DeviceWork* const> copies) override {
    return run_streams_alone(program, copies, *gpu_.streams);
  }

 private:
  std::unique_ptr<DevicePayloads> payloads_of(const Program& program, uint32_t rank,
                                              NumberExchange* number_exchange) {
    if (!number_exchange) return std::make_unique<DummyDevicePayloads>(program, *gpu_.links);
    return std::make_unique<DeviceNumbers>(
        program, rank, required(share_, "ranks that exchange numbers share devices").channels,
        *number_exchange, *gpu_.kernels, *gpu_.links);
  }

  transport::Session& session_;
  KeepTimeline keep_;
  RankGpu gpu_;
  std::optional<DeviceShare> share_;  ///< of the one program that it runs, once it does
};

class Cuda final : public LiveDevice {
 public:
  explicit Cuda(const kernels::CudaOptions& options)
      : partitions_(static_cast<size_t>(options.partitions)),
        kernels_(kernels::cuda_kernels(options)) {}
  std::string backend() const override { return "cuda"; }
  std::string description() const override {
    const kernels::CudaDevice device = kernels_->device();
    if (partitions_ == 1) return fmt::format("one {}, shared by all ranks", device.name);
    return fmt::format("one {}, shared by all ranks as {} partitions of {} multiprocessors",
                       device.name, partitions_, device.processors_per_partition);
  }
  std::optional<kernels::CudaDevice> gpu() const override { return kernels_->device(); }
  bool ranks_share_gpu() const override { return true; }
  kernels::Kernels& kernels() override { return *kernels_; }
  std::unique_ptr<DeviceWork> waiting(std::vector<Time> durations) override {
    return std::make_unique<SpinWork>(std::move(durations), *kernels_);
  }
  Timeline run(const Program& program, DeviceWork& work, const Timeline& predicted) override {
    return run_streams(program, work, *kernels_, predicted, {.partitions = partitions_});
  }
  Timeline predict(const Program& program, const OpTimes& times) const override {
    return simulate_on_partitions(program, times);
  }
  int copies_at_once(const Program&) const override {
    return std::min(static_cast<int>(partitions_), most_copies);
  }
  std::vector<Timeline> run_alone(const Program& program,
                                  std::span<DeviceWork* const> copies) override {
    return run_streams_alone(program, copies, *kernels_);
  }

 private:
  size_t partitions_;
  std::unique_ptr<kernels::CudaKernels> kernels_;
};

}  // namespace

Timeline LiveDevice::predict(const Program& program, const OpTimes& times) const {
  return simulate(program, times.alone);
}

Time LiveDevice::time_alone(DeviceWork& work, OpId op) {
  const auto start = std::chrono::steady_clock::now();
  work.compute(op);
  return nanoseconds(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
}

std::unique_ptr<LiveDevice> cpu_device() { return std::make_unique<Cpu>(); }

std::unique_ptr<LiveDevice> process_device(transport::Session& session, KeepTimeline keep) {
  return std::make_unique<Processes>(session, std::move(keep));
}

std::unique_ptr<LiveDevice> gpu_process_device(transport::Session& session, RankGpu gpu,
                                               KeepTimeline keep) {
  return std::make_unique<Gpus>(session, std::move(gpu), std::move(keep));
}

std::unique_ptr<LiveDevice> cuda_device(const kernels::CudaOptions& options) {
  return std::make_unique<Cuda>(options);
}

}  // namespace pipewright::live
