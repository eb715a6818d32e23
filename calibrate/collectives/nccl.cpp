// NCCL's collectives on a stream of their own. The host goes on meanwhile: it hears of ranks that
// are gone and of NCCL's own errors, which come asynchronously, and then gives the group up.
#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "calibrate/collectives/communicator.hpp"
#include "calibrate/collectives/device_buffer.hpp"
#include "calibrate/collectives/nccl_library.hpp"
#include "kernels/cuda/check.hpp"

namespace pipewright::calibration {
namespace {

using kernels::cuda::check;
using kernels::cuda::check_closed;

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { check_closed(cudaEventDestroy(event_), "cudaEventDestroy"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

class Group final : public Communicator {
 public:
  Group(transport::Session& session, const NcclLibrary& nccl, ncclComm_t comm, int rank, int size)
      : session_(session), nccl_(nccl), comm_(comm), rank_(rank), size_(size) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~Group() override {
    nccl_.check_closed(nccl_.abort(comm_), "ncclCommAbort");  // frees it too, waits for nobody
    check_closed(cudaStreamDestroy(stream_), "cudaStreamDestroy");
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  double run(Operation operation, int64_t elements, int calls) override {
    const Buffers wanted = buffers(operation, elements, size_);
    float *given = given_.of(wanted.given), *got = got_.of(wanted.got);
    // As a barrier: nobody's sum is there before all have come.
    nccl_.check(nccl_.all_reduce(word_.of(1), word_.of(1), 1, ncclFloat, ncclSum, comm_, stream_),
                "ncclAllReduce");
    check(cudaEventRecord(start_, stream_), "cudaEventRecord");
    for (int i = 0; i < calls; ++i) call(operation, elements, given, got);
    check(cudaEventRecord(end_, stream_), "cudaEventRecord");
    await_end(operation);
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, end_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  void await_end(Operation operation) {
    for (;;) {
      const cudaError_t status = cudaEventQuery(end_);
      if (status == cudaSuccess) return;
      if (status != cudaErrorNotReady) check(status, name(operation).data());
      ncclResult_t behind = ncclSuccess;
      nccl_.check(nccl_.async_error(comm_, &behind), "ncclCommGetAsyncError");
      if (behind != ncclInProgress) nccl_.check(behind, name(operation).data());
      ensure(!session_.poll(), "nobody sends while collectives are measured");
    }
  }

  void call(Operation operation, int64_t elements, float* given, float* got) {
    const size_t all = static_cast<size_t>(elements), part = all / static_cast<size_t>(size_);
    nccl_.check(enqueue(operation, all, part, given, got), name(operation).data());
  }

  ncclResult_t enqueue(Operation operation, size_t all, size_t part, float* given, float* got) {
    switch (operation) {
      case Operation::all_reduce:
        return nccl_.all_reduce(given, got, all, ncclFloat, ncclSum, comm_, stream_);
      case Operation::all_gather:
        return nccl_.all_gather(given, got, part, ncclFloat, comm_, stream_);
      case Operation::reduce_scatter:
        return nccl_.reduce_scatter(given, got, part, ncclFloat, ncclSum, comm_, stream_);
      case Operation::broadcast:
        return nccl_.broadcast(given, got, all, ncclFloat, 0, comm_, stream_);
      case Operation::all_to_all:
        return exchange(part, given, got);
      case Operation::send_recv:
        return shift(all, given, got);
    }
    return ncclInvalidArgument;
  }

  /// A part to and from each, as one group: NCCL's own all_to_all is of 2.28 and later.
  ncclResult_t exchange(size_t part, const float* given, float* got) {
    ncclResult_t worst = nccl_.group_start();
    for (int other = 0; other < size_; ++other) {
      const size_t at = static_cast<size_t>(other) * part;
      worst = std::max(worst, nccl_.send(given + at, part, ncclFloat, other, comm_, stream_));
      worst = std::max(worst, nccl_.recv(got + at, part, ncclFloat, other, comm_, stream_));
    }
    return std::max(worst, nccl_.group_end());
  }

  ncclResult_t shift(size_t all, const float* given, float* got) {
    const int next = (rank_ + 1) % size_, before = (rank_ + size_ - 1) % size_;
    ncclResult_t worst = nccl_.group_start();
    worst = std::max(worst, nccl_.send(given, all, ncclFloat, next, comm_, stream_));
    worst = std::max(worst, nccl_.recv(got, all, ncclFloat, before, comm_, stream_));
    return std::max(worst, nccl_.group_end());
  }

  transport::Session& session_;
  const NcclLibrary& nccl_;
  ncclComm_t comm_;
  int rank_, size_;
  cudaStream_t stream_ = nullptr;
  Event start_, end_;
  DeviceBuffer given_, got_, word_;
};

class Nccl final : public Communicators {
 public:
  explicit Nccl(transport::Session& session) : session_(session) {
    check(cudaFree(nullptr), "no device");
  }

  std::string library() const override { return nccl_.version(); }
  std::string device() const override {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    return properties.name;
  }
  int64_t most_bytes() const override {
    size_t unused = 0, all = 0;
    check(cudaMemGetInfo(&unused, &all), "cudaMemGetInfo");
    return static_cast<int64_t>(unused / 10 * 8);
  }

  /// The first member makes the name by which the others find it; a session carries it to them.
  std::unique_ptr<Communicator> join(const std::vector<int>& members, int channels) override {
    const auto own = std::find(members.begin(), members.end(), session_.rank());
    ncclUniqueId id{};
    if (own == members.begin()) nccl_.check(nccl_.get_unique_id(&id), "ncclGetUniqueId");
    const auto words = session_.exchange(transport::bytes_of(&id, sizeof id));
    if (own == members.end()) return nullptr;
    std::memcpy(&id, words[static_cast<size_t>(members.front())].data(), sizeof id);
    const int rank = static_cast<int>(own - members.begin());
    const int size = static_cast<int>(members.size());
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    if (channels != any_channels) config.minCTAs = config.maxCTAs = channels;
    ncclComm_t comm = nullptr;
    ncclResult_t status = ncclSuccess;
    session_.outside([&] { return status = nccl_.init_rank(&comm, size, id, rank, &config); });
    nccl_.check(status, "ncclCommInitRankConfig");
    return std::make_unique<Group>(session_, nccl_, comm, rank, size);
  }

 private:
  transport::Session& session_;
  NcclLibrary nccl_;
};

}  // namespace

std::unique_ptr<Communicators> nccl_communicators(transport::Session& session) {
  return std::make_unique<Nccl>(session);
}

}  // namespace pipewright::calibration
