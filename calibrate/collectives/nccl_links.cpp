#include "calibrate/collectives/nccl_links.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.hpp"
#include "calibrate/collectives/device_buffer.hpp"
#include "calibrate/collectives/nccl_library.hpp"
#include "program/names.hpp"

namespace pipewright::calibration {
namespace {

using namespace std::chrono_literals;

constexpr auto most_for_setup = 60s;  // of a communicator, its members' others before included
constexpr auto nap = 200us;
/// Multiprocessors on which a receive waits for its message, perhaps behind compute that needs
/// them.
constexpr int most_of_receives = 4;

/// A communicator that a thread of its own sets up: NCCL waits there for the others, and is left to
/// itself when they do not come.
struct Setup {
  std::atomic<bool> is_done = false;
  ncclResult_t status = ncclSuccess;
  ncclComm_t comm = nullptr;
};

/// One of this rank's communicators, and what its messages are made of.
struct Link {
  ncclComm_t comm = nullptr;
  int rank = 0, size = 0;
  std::unique_ptr<DeviceBuffer> given = std::make_unique<DeviceBuffer>();
  std::unique_ptr<DeviceBuffer> got = std::make_unique<DeviceBuffer>();
};

class NcclLinks final : public transport::DeviceLinks {
 public:
  NcclLinks(transport::Session& session, kernels::CudaKernels& kernels)
      : session_(session), kernels_(kernels) {}
  /// Frees what is still on its way, too, and waits for nobody.
  ~NcclLinks() override {
    for (const Link& link : links_)
      if (link.comm) nccl_.check_closed(nccl_.abort(link.comm), "ncclCommAbort");
  }
  NcclLinks(const NcclLinks&) = delete;
  NcclLinks& operator=(const NcclLinks&) = delete;

  std::string library() const override { return nccl_.version(); }

  void open(const std::vector<transport::DeviceChannel>& channels) override {
    const std::vector<ncclUniqueId> ids = make_ids(channels);
    links_.resize(channels.size());
    for (size_t channel = 0; channel < channels.size(); ++channel)
      join(channels[channel], ids[channel], links_[channel]);
    session_.exchange({});
  }

  void send(size_t channel, std::span<const float> numbers) override {
    const Link& link = links_[channel];
    nccl_.check(
        nccl_.send(numbers.data(), numbers.size(), ncclFloat, link.size - 1, link.comm, stream()),
        "ncclSend");
  }

  void receive(size_t channel, std::span<float> numbers) override {
    const Link& link = links_[channel];
    nccl_.check(nccl_.recv(numbers.data(), numbers.size(), ncclFloat, 0, link.comm, stream()),
                "ncclRecv");
  }

  void all_reduce(size_t channel, std::span<float> numbers) override {
    nccl_.check(nccl_.all_reduce(numbers.data(), numbers.data(), numbers.size(), ncclFloat, ncclSum,
                                 links_[channel].comm, stream()),
                "ncclAllReduce");
  }

  void all_gather(size_t channel, std::span<const float> own, std::span<float> all) override {
    nccl_.check(nccl_.all_gather(own.data(), all.data(), own.size(), ncclFloat,
                                 links_[channel].comm, stream()),
                "ncclAllGather");
  }

  void reduce_scatter(size_t channel, std::span<const float> all, std::span<float> own) override {
    nccl_.check(nccl_.reduce_scatter(all.data(), own.data(), own.size(), ncclFloat, ncclSum,
                                     links_[channel].comm, stream()),
                "ncclReduceScatter");
  }

  void send_and_receive(size_t channel, const std::vector<std::span<const float>>& to,
                        const std::vector<std::span<float>>& from) override {
    nccl_.check(exchange(links_[channel], to, from), "ncclSend and ncclRecv of a group");
  }

  void send(size_t channel, Bytes bytes) override {
    const Link& link = links_[channel];
    nccl_.check(nccl_.send(link.given->of(floats(bytes)), count(bytes), ncclUint8, link.size - 1,
                           link.comm, stream()),
                "ncclSend");
  }

  void receive(size_t channel, Bytes bytes) override {
    const Link& link = links_[channel];
    nccl_.check(
        nccl_.recv(link.got->of(floats(bytes)), count(bytes), ncclUint8, 0, link.comm, stream()),
        "ncclRecv");
  }

  void collect(size_t channel, CollectiveKind kind, Bytes bytes) override {
    nccl_.check(enqueue(links_[channel], kind, static_cast<size_t>(floats(bytes))),
                to_string(kind));
  }

  void check() override {
    for (const Link& link : links_) {
      if (!link.comm) continue;
      ncclResult_t behind = ncclSuccess;
      nccl_.check(nccl_.async_error(link.comm, &behind), "ncclCommGetAsyncError");
      if (behind != ncclInProgress) nccl_.check(behind, "behind the host");
    }
  }

 private:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(kernels_.native_stream()); }
  /// Returns the bytes to send; one also where there are none.
  static size_t count(Bytes bytes) {
    return static_cast<size_t>(std::max<int64_t>(1, bytes.count));
  }
  static int64_t floats(Bytes bytes) { return std::max<int64_t>(1, (bytes.count + 3) / 4); }

  /// The first member of a channel makes the name by which the others find it.
  std::vector<ncclUniqueId> make_ids(const std::vector<transport::DeviceChannel>& channels) {
    std::vector<ncclUniqueId> ids(channels.size());
    const size_t size = ids.size() * sizeof(ncclUniqueId);
    const auto own = static_cast<uint32_t>(session_.rank());
    for (size_t i = 0; i < ids.size(); ++i)
      if (channels[i].members.front() == own)
        nccl_.check(nccl_.get_unique_id(&ids[i]), "ncclGetUniqueId");
    const auto words = session_.exchange(transport::bytes_of(ids.data(), size));
    for (size_t i = 0; i < ids.size(); ++i)
      std::memcpy(&ids[i], words[channels[i].members.front()].data() + i * sizeof(ncclUniqueId),
                  sizeof(ncclUniqueId));
    return ids;
  }

  /// Channels are joined in the same order by all, so that nobody waits for ever.
  void join(const transport::DeviceChannel& channel, const ncclUniqueId& id, Link& link) {
    const auto own = std::find(channel.members.begin(), channel.members.end(),
                               static_cast<uint32_t>(session_.rank()));
    if (own == channel.members.end()) return;
    link.rank = static_cast<int>(own - channel.members.begin());
    link.size = static_cast<int>(channel.members.size());
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    if (channel.of_transfers) config.maxCTAs = most_of_receives;
    link.comm = set_up(id, link.rank, link.size, config);
    // Before the run: taking memory stops a device.
    link.given->of(floats(channel.most) + link.size);
    link.got->of(floats(channel.most) + link.size);
  }

  ncclComm_t set_up(const ncclUniqueId& id, int rank, int size, ncclConfig_t config) {
    int device = 0;
    kernels::cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    const auto setup = std::make_shared<Setup>();
    std::thread([setup, device, id, rank, size, config, init_rank = nccl_.init_rank]() mutable {
      if (cudaSetDevice(device) != cudaSuccess)
        setup->status = ncclUnhandledCudaError;
      else
        setup->status = init_rank(&setup->comm, size, id, rank, &config);
      setup->is_done = true;
    }).detach();
    const auto end = std::chrono::steady_clock::now() + most_for_setup;
    while (!setup->is_done) {
      ensure(!session_.poll(), "nobody sends while communicators are set up");
      if (std::chrono::steady_clock::now() > end)
        session_.fail("NCCL: ranks do not find each other (ncclCommInitRank)");
      std::this_thread::sleep_for(nap);
    }
    nccl_.check(setup->status, "ncclCommInitRank");
    return setup->comm;
  }

  ncclResult_t enqueue(const Link& link, CollectiveKind kind, size_t all) {
    const auto whole = static_cast<int64_t>(all);
    float *given = link.given->of(whole), *got = link.got->of(whole);
    const auto members = static_cast<size_t>(link.size);
    const size_t part = (all + members - 1) / members;  // buffers have room for what is too much
    switch (kind) {
      case CollectiveKind::all_reduce:
        return nccl_.all_reduce(given, got, all, ncclFloat, ncclSum, link.comm, stream());
      case CollectiveKind::all_gather:
        return nccl_.all_gather(given, got, part, ncclFloat, link.comm, stream());
      case CollectiveKind::reduce_scatter:
        return nccl_.reduce_scatter(given, got, part, ncclFloat, ncclSum, link.comm, stream());
      case CollectiveKind::all_to_all:
        return exchange(link, part, given, got);
      default:
        return ncclInvalidArgument;
    }
  }

  /// A part to and from each.
  ncclResult_t exchange(const Link& link, size_t part, const float* given, float* got) {
    std::vector<std::span<const float>> to;
    std::vector<std::span<float>> from;
    for (size_t at = 0; at < static_cast<size_t>(link.size) * part; at += part) {
      to.emplace_back(given + at, part);
      from.emplace_back(got + at, part);
    }
    return exchange(link, to, from);
  }

  /// Exchanges as one group, in which nobody's send waits for its own receive.
  ncclResult_t exchange(const Link& link, const std::vector<std::span<const float>>& to,
                        const std::vector<std::span<float>>& from) {
    ncclResult_t worst = nccl_.group_start();
    for (int other = 0; other < link.size; ++other) {
      const auto i = static_cast<size_t>(other);
      if (!to[i].empty())
        worst = std::max(
            worst, nccl_.send(to[i].data(), to[i].size(), ncclFloat, other, link.comm, stream()));
      if (!from[i].empty())
        worst = std::max(worst, nccl_.recv(from[i].data(), from[i].size(), ncclFloat, other,
                                           link.comm, stream()));
    }
    return std::max(worst, nccl_.group_end());
  }

  transport::Session& session_;
  kernels::CudaKernels& kernels_;
  NcclLibrary nccl_;
  std::vector<Link> links_;  ///< by channel
};

}  // namespace

std::unique_ptr<transport::DeviceLinks> nccl_links(transport::Session& session,
                                                   kernels::CudaKernels& kernels) {
  return std::make_unique<NcclLinks>(session, kernels);
}

}  // namespace pipewright::calibration
