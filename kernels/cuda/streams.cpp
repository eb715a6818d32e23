#include "kernels/cuda/streams.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <span>

#include "base/error.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {
namespace {

/// The device, or one line about what is missing.
int find_device(int wanted) {
  // Streams beyond this many wait for each other where they need not; the most there can be.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver) {
    int driver = 0;
    if (cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0)
      throw Failure(fmt::format(
          "CUDA: the driver is too old: it knows CUDA {}.{}, this build needs {}.{}", driver / 1000,
          driver / 10 % 100, CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100));
    throw Failure("CUDA: no CUDA device: no NVIDIA driver (libcuda.so.1) on this machine");
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0))
    throw Failure("CUDA: no CUDA device on this machine, though it has a driver");
  check(status, "looking for a device");
  const int device = wanted % count;
  check(cudaSetDevice(device), "taking the device");
  return device;
}

}  // namespace

DeviceStreams::DeviceStreams(const CudaOptions& options)
    : device_(find_device(options.device)),
      is_cut_(options.partitions > 1),
      partitions_(device_, options.partitions) {
  DeviceStreams::select(0, 0);
}

DeviceStreams::~DeviceStreams() {
  for (const Mark& mark : marks_)
    if (mark.event) check_closed(cudaEventDestroy(mark.event), "giving back an event");
  for (const Lane& lane : lanes_)
    if (lane.stream) check_closed(cudaStreamDestroy(lane.stream), "giving back a stream");
}

void DeviceStreams::select(size_t stream, size_t partition) {
  if (lanes_.size() <= stream) lanes_.resize(stream + 1);
  Lane& lane = lanes_[stream];
  if (!lane.stream) lane.stream = partitions_.make_stream(partition);
  selected_ = stream;
  memory_.now_at({stream, lane.epoch + 1});
}

void DeviceStreams::mark(size_t mark) {
  if (marks_.size() <= mark) marks_.resize(mark + 1);
  Mark& m = marks_[mark];
  if (!m.event) check(cudaEventCreate(&m.event), "an event");
  check(cudaEventRecord(m.event, stream()), "recording an event");
  m.at = {selected_, ++lanes_[selected_].epoch};
  memory_.now_at({selected_, m.at.epoch + 1});
}

void DeviceStreams::wait_for(size_t mark) {
  check(cudaStreamWaitEvent(stream(), marks_.at(mark).event), "waiting for an event");
}

void DeviceStreams::reach(size_t mark) {
  const Mark& m = marks_.at(mark);
  check(cudaEventSynchronize(m.event), "work on the device");
  memory_.ended(m.at.stream, m.at.epoch);
}

bool DeviceStreams::reached(size_t mark) {
  const Mark& m = marks_.at(mark);
  const cudaError_t status = cudaEventQuery(m.event);
  if (status == cudaErrorNotReady) {
    (void)cudaGetLastError();  // not to be taken for an error of the next launch
    return false;
  }
  check(status, "work on the device");
  memory_.ended(m.at.stream, m.at.epoch);
  return true;
}

void DeviceStreams::spin(Time time) { cuda::spin(stream(), time.ps / 1000); }

Time DeviceStreams::between(size_t from, size_t to) {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, marks_.at(from).event, marks_.at(to).event), "an event's time");
  return Time{std::llround(double{ms} * 1e9)};
}

void DeviceStreams::drain() {
  check(cudaDeviceSynchronize(), "work on the device");
  for (size_t i = 0; i < lanes_.size(); ++i) {
    // What is freed from here on counts as used by work that has not been marked yet.
    memory_.ended(i, lanes_[i].epoch + 1);
    ++lanes_[i].epoch;
  }
  memory_.now_at({selected_, lanes_[selected_].epoch + 1});
}

float* DeviceStreams::product_workspace(size_t bytes) {
  Array& workspace = lanes_[selected_].workspace;
  if (!workspace) workspace = array(1, static_cast<int64_t>(bytes / sizeof(float)));
  return workspace.tensor.data;
}

CudaDevice DeviceStreams::describe() const {
  cudaDeviceProp properties{};
  int driver = 0;
  check(cudaGetDeviceProperties(&properties, device_), "the device's properties");
  check(cudaDriverGetVersion(&driver), "the driver's version");
  return {.name = properties.name,
          .id = fmt::format(
              "{:02x}",
              fmt::join(std::span(reinterpret_cast<const unsigned char*>(properties.uuid.bytes),
                                  sizeof properties.uuid.bytes),
                        "")),
          .processors = properties.multiProcessorCount,
          .processors_per_partition = partitions_.processors(),
          .memory_bytes = static_cast<int64_t>(properties.totalGlobalMem),
          .software = fmt::format("CUDA {}.{}, driver for {}.{}", CUDART_VERSION / 1000,
                                  CUDART_VERSION / 10 % 100, driver / 1000, driver / 10 % 100)};
}

}  // namespace pipewright::kernels::cuda
