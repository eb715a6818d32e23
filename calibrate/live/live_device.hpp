// The device on which a live run runs: threads of this process or of many, a GPU's streams or those
// of many.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "calibrate/live/executor/executor.hpp"
#include "calibrate/live/executor/op_times.hpp"
#include "calibrate/transport/device_links.hpp"
#include "calibrate/transport/session.hpp"
#include "kernels/cuda.hpp"

namespace pipewright::live {

class LiveDevice {
 public:
  virtual ~LiveDevice() = default;

  /// "cpu" or "cuda"
  virtual std::string backend() const = 0;
  /// Describes the device in words, after "live on".
  virtual std::string description() const = 0;
  /// Returns what takes how long when compute is timed, in words.
  virtual std::string timing() const {
    return "compute and transfers waiting their predicted times";
  }
  /// Returns the GPU, if it is one.
  virtual std::optional<kernels::CudaDevice> gpu() const { return std::nullopt; }
  /// All of them that one, or each has its own.
  virtual bool ranks_share_gpu() const { return false; }
  virtual kernels::Kernels& kernels() = 0;
  /// Returns how `program` will run with ops that take `times`. Throws Failure as simulate does.
  virtual Timeline predict(const Program& program, const OpTimes& times) const;
  /// Work that takes as long as `durations` say, by op.
  virtual std::unique_ptr<DeviceWork> waiting(std::vector<Time> durations) = 0;
  /// Runs `program`; `predicted` may be empty. Throws Failure when it is stuck.
  virtual Timeline run(const Program& program, DeviceWork& work, const Timeline& predicted) = 0;
  /// Returns how long a compute op takes when this rank does nothing else.
  virtual Time time_alone(DeviceWork& work, OpId op);
  /// Returns how many ops of `program` have cores or partitions of their own at once, as far as
  /// measured.
  virtual int copies_at_once(const Program&) const { return 1; }
  /// Each op by itself, or beside those of the other copies, at most copies_at_once().
  virtual std::vector<Timeline> run_alone(const Program& program,
                                          std::span<DeviceWork* const> copies) = 0;
};

std::unique_ptr<LiveDevice> cpu_device();
/// Ranks share one GPU as partitions of its multiprocessors. Throws Failure as cuda_kernels does.
std::unique_ptr<LiveDevice> cuda_device(const kernels::CudaOptions& options);

/// Every rank is a process. `session` outlives it; `keep` gets what had run when a run ends early.
std::unique_ptr<LiveDevice> process_device(transport::Session& session,
                                           std::function<void(const Timeline&)> keep);

/// A rank's own GPU, and what joins it to those of others.
struct RankGpu {
  kernels::CudaDevice device;
  std::shared_ptr<kernels::Kernels> kernels;
  std::shared_ptr<kernels::Streams> streams;      ///< that the kernels are put on
  std::unique_ptr<transport::DeviceLinks> links;  ///< not open yet
};

/// The same where each process has a GPU.
std::unique_ptr<LiveDevice> gpu_process_device(transport::Session& session, RankGpu gpu,
                                               std::function<void(const Timeline&)> keep);

}  // namespace pipewright::live
