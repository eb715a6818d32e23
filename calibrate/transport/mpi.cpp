#include "calibrate/transport/mpi.hpp"

#include <unistd.h>

#include <array>
#include <deque>

#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include "base/error.hpp"

namespace pipewright::transport {
namespace {

constexpr int tag_bits = 29;
static_assert(most_tags == 1u << tag_bits);

std::vector<std::string> gather_hosts(int size) {
  using Name = std::array<char, 64>;
  Name own{};
  gethostname(own.data(), own.size() - 1);
  std::vector<Name> all(static_cast<size_t>(size));
  MPI_Allgather(own.data(), sizeof(Name), MPI_CHAR, all.data(), sizeof(Name), MPI_CHAR,
                MPI_COMM_WORLD);
  std::vector<std::string> hosts;
  for (const Name& name : all) hosts.emplace_back(name.data());
  return hosts;
}

class Mpi final : public Transport {
 public:
  Mpi() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    hosts_ = gather_hosts(size_);
    // A rank that is gone is found by its silence, and named.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const std::vector<std::string>& hosts() const override { return hosts_; }

  void send(int to, Channel channel, uint32_t tag, Payload payload, size_t size) override {
    MPI_Request request = MPI_REQUEST_NULL;
    const int mpi_tag = static_cast<int>(static_cast<uint32_t>(channel) << tag_bits | tag);
    if (MPI_Isend(payload ? payload->data() : nullptr, static_cast<int>(size), MPI_BYTE, to,
                  mpi_tag, MPI_COMM_WORLD, &request) != MPI_SUCCESS)
      return;
    requests_.push_back(request);
    states_.push_back({std::move(payload), {}});
    ++sends_;
  }

  std::optional<Packet> poll() override {
    while (accept()) {
    }
    finish();
    if (arrived_.empty()) return {};
    Packet packet = std::move(arrived_.front());
    arrived_.pop_front();
    return packet;
  }

  bool sent() const override { return sends_ == 0; }

  void leave() override { MPI_Finalize(); }

 private:
  /// What a request is about: a send's payload, or the packet that a receive fills.
  struct State {
    Payload payload;
    std::unique_ptr<Packet> packet;
  };

  /// Takes in one packet that is announced.
  bool accept() {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &message, &status) !=
            MPI_SUCCESS ||
        !found)
      return false;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    const auto tag = static_cast<uint32_t>(status.MPI_TAG);
    auto packet = std::make_unique<Packet>(
        Packet{status.MPI_SOURCE, static_cast<Channel>(tag >> tag_bits), tag & (most_tags - 1),
               std::vector<std::byte>(static_cast<size_t>(size))});
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Imrecv(packet->bytes.data(), size, MPI_BYTE, &message, &request);
    requests_.push_back(request);
    states_.push_back({nullptr, std::move(packet)});
    return true;
  }

  /// Takes out the requests that are done.
  void finish() {
    int count = 0;
    done_.resize(requests_.size());
    const bool whole = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                    done_.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS;
    if (count == MPI_UNDEFINED || count == 0) return;
    for (int i = 0; i < count; ++i) {
      State& state = states_[static_cast<size_t>(done_[static_cast<size_t>(i)])];
      if (!state.packet)
        --sends_;
      else if (whole)
        arrived_.push_back(std::move(*state.packet));
    }
    size_t kept = 0;
    for (size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      if (kept != i) states_[kept] = std::move(states_[i]);
      ++kept;
    }
    requests_.resize(kept);
    states_.resize(kept);
  }

  int rank_ = 0, size_ = 1;
  std::vector<std::string> hosts_;
  std::vector<MPI_Request> requests_;
  std::vector<State> states_;  ///< by request
  std::vector<int> done_;
  std::deque<Packet> arrived_;
  size_t sends_ = 0;
};

}  // namespace

std::unique_ptr<Transport> mpi_transport() { return std::make_unique<Mpi>(); }

}  // namespace pipewright::transport
