// The backend's streams and marks.
#include <cmath>

#include "base/error.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {

void Backend::select(size_t stream, size_t partition) {
  if (lanes_.size() <= stream) lanes_.resize(stream + 1);
  Lane& lane = lanes_[stream];
  if (!lane.stream) lane.stream = partitions_.make_stream(partition);
  selected_ = stream;
  memory_.now_at({stream, lane.epoch + 1});
}

void Backend::mark(size_t mark) {
  if (marks_.size() <= mark) marks_.resize(mark + 1);
  Mark& m = marks_[mark];
  if (!m.event) check(cudaEventCreate(&m.event), "an event");
  check(cudaEventRecord(m.event, stream()), "recording an event");
  m.at = {selected_, ++lanes_[selected_].epoch};
  memory_.now_at({selected_, m.at.epoch + 1});
}

void Backend::wait_for(size_t mark) {
  check(cudaStreamWaitEvent(stream(), marks_.at(mark).event), "waiting for an event");
}

void Backend::reach(size_t mark) {
  const Mark& m = marks_.at(mark);
  check(cudaEventSynchronize(m.event), "work on the device");
  memory_.ended(m.at.stream, m.at.epoch);
}

bool Backend::reached(size_t mark) {
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

void Backend::spin(Time time) { cuda::spin(stream(), time.ps / 1000); }

Time Backend::between(size_t from, size_t to) {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, marks_.at(from).event, marks_.at(to).event), "an event's time");
  return Time{std::llround(double{ms} * 1e9)};
}

void Backend::synchronize() {
  check(cudaDeviceSynchronize(), "work on the device");
  for (size_t i = 0; i < lanes_.size(); ++i) {
    // What is freed from here on counts as used by work that has not been marked yet.
    memory_.ended(i, lanes_[i].epoch + 1);
    ++lanes_[i].epoch;
  }
  memory_.now_at({selected_, lanes_[selected_].epoch + 1});
}

}  // namespace pipewright::kernels::cuda
