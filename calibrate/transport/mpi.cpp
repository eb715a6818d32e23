#include "calibrate/transport/mpi.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include "base/error.hpp"
#include "base/tell.hpp"
#include "calibrate/transport/pieces.hpp"

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

/// Ends this process where ranks do not come together: one that is held, or is another program,
/// leaves the others within MPI, and nothing else watches yet.
class Gathering {
 public:
  Gathering() : watch_([](const std::stop_token& stop) { watch(stop); }) {}

 private:
  static void watch(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock(mutex);
    if (ended.wait_for(lock, stop, patience, [&] { return stop.stop_requested(); })) return;
    tell("error: not all ranks were there after {} s: one is held, or runs another program\n",
         patience.count());
    std::_Exit(1);
  }

  static constexpr std::chrono::seconds patience{30};
  std::jthread watch_;
};

class Mpi final : public Transport {
 public:
  Mpi() {
    const Gathering gathering;
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    hosts_ = gather_hosts(size_);
    queues_.resize(hosts_.size());
    // A rank that is gone is found by its silence, and named.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const std::vector<std::string>& hosts() const override { return hosts_; }

  void send(int to, Channel channel, uint32_t tag, Payload payload, size_t size) override {
    if (!is_cut(to)) return begin(to, {channel, tag, std::move(payload), 0, size});
    queues_[static_cast<size_t>(to)].push(channel, tag, std::move(payload), size);
    pump();
  }

  std::optional<Packet> poll() override {
    do {
      while (accept()) {
      }
      finish();
    } while (pump());
    if (arrived_.empty()) return {};
    Packet packet = std::move(arrived_.front());
    arrived_.pop_front();
    return packet;
  }

  bool sent() const override {
    return sends_ == 0 && std::all_of(queues_.begin(), queues_.end(),
                                      [](const PieceQueue& queue) { return queue.empty(); });
  }

  void leave() override { MPI_Finalize(); }

 private:
  using Clock = PieceQueue::Clock;

  /// The object of a request: a send's payload, or the packet that a receive fills.
  struct State {
    Payload payload;
    std::unique_ptr<Packet> packet;
    int to = 0;  ///< of a send
    Clock::time_point since;
  };

  /// Within a host messages are copied whole.
  bool is_cut(int other) const {
    return hosts_[static_cast<size_t>(other)] != hosts_[static_cast<size_t>(rank_)];
  }

  void begin(int to, Piece piece) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int tag = static_cast<int>(static_cast<uint32_t>(piece.channel) << tag_bits | piece.tag);
    const void* data = piece.payload ? piece.payload->data() + piece.offset : nullptr;
    if (MPI_Isend(data, static_cast<int>(piece.size), MPI_BYTE, to, tag, MPI_COMM_WORLD,
                  &request) != MPI_SUCCESS)
      return;
    requests_.push_back(request);
    states_.push_back({std::move(piece.payload), {}, to, Clock::now()});
    ++sends_;
  }

  /// Tells whether there was a piece to send.
  bool send_next(int to) {
    std::optional<Piece> piece = queues_[static_cast<size_t>(to)].pop();
    if (!piece) return false;
    begin(to, std::move(*piece));
    return true;
  }

  /// Tells whether anything left.
  bool pump() {
    bool left = false;
    for (int to = 0; to < size_; ++to) {
      while (send_next(to)) left = true;
    }
    return left;
  }

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
    states_.push_back({nullptr, std::move(packet), 0, {}});
    return true;
  }

  void was_sent(const State& state) {
    --sends_;
    if (is_cut(state.to)) queues_[static_cast<size_t>(state.to)].done(state.since, Clock::now());
  }

  void arrive(Packet packet) {
    if (!is_cut(packet.from)) return arrived_.push_back(std::move(packet));
    if (std::optional<Packet> whole = joiner_.add(std::move(packet)))
      arrived_.push_back(std::move(*whole));
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
        was_sent(state);
      else if (whole)
        arrive(std::move(*state.packet));
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
  std::vector<PieceQueue> queues_;  ///< by rank
  PieceJoiner joiner_;
  std::vector<MPI_Request> requests_;
  std::vector<State> states_;  ///< by request
  std::vector<int> done_;
  std::deque<Packet> arrived_;
  size_t sends_ = 0;
};

}  // namespace

std::unique_ptr<Transport> mpi_transport() { return std::make_unique<Mpi>(); }

}  // namespace pipewright::transport
