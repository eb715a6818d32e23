// Ranks that watch over each other.
//
// Each tells all others several times a second that it lives and what it is at. Whoever has heard
// nothing from one for the length of the watchdog, or has seen nobody get on for as long, ends the
// run with a Failure that says so, and tells the others, who end it too.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "calibrate/transport/parts.hpp"
#include "calibrate/transport/peers.hpp"
#include "calibrate/transport/transport.hpp"

namespace pipewright::transport {

/// The purpose of control packets.
enum class Note : uint32_t { alive, stop, kept, ping, pong, to_first, from_first, report };

class Session {
 public:
  Session(Transport& transport, std::chrono::milliseconds watchdog);
  ~Session();
  /// Starts a thread that looks whether the transport itself is stuck, as MPI is that tries to
  /// reach a rank that has died. Then `end_process` gets the reason and must not return.
  void guard(std::function<void(const std::string&)> end_process);

  int rank() const { return transport_.rank(); }
  int size() const { return transport_.size(); }
  const std::vector<std::string>& hosts() const { return transport_.hosts(); }
  bool is_first() const { return rank() == 0; }

  /// Sets what this rank is at, in words that follow "rank 0"; asked for now and then.
  void describe_by(std::function<std::string()> status) { status_ = std::move(status); }
  /// Sets what is still to be done when the run is ended early.
  void before_end(std::function<void()> last) { last_ = std::move(last); }
  /// Notes how far the run has come. From the first call on, somebody has to get on within the
  /// watchdog's time; an empty one ends that.
  void progress(std::optional<uint64_t> count);
  /// Nothing may end for so much longer than the watchdog's time.
  void be_patient(std::chrono::milliseconds more) { patience_ = more; }

  void send(int to, Channel channel, uint32_t tag, Payload payload = {}, size_t size = 0);
  void send(int to, Note note, std::vector<std::byte> bytes);

  /// A packet of data or a signal, if one is here. Moves on all that is on its way; throws Failure
  /// when the run is over.
  std::optional<Packet> poll();
  /// A note that has come from anybody.
  std::optional<Packet> take(Note note);
  /// Waits for one, `eagerly` without naps.
  Packet wait(Note note, bool eagerly = false);
  /// Returns what each rank has to say, by rank; all come here.
  Parts exchange(std::vector<std::byte> own, bool eagerly = false);
  bool sent() const { return transport_.sent(); }
  /// Calls what may not come back, such as the transport, and must not throw; the guard looks on.
  template <class F>
  auto outside(F&& call) {
    outside_since_ = Clock::now().time_since_epoch().count();
    mine_.unlock();
    auto result = call();
    mine_.lock();
    outside_since_ = 0;
    return result;
  }

  /// Ends the run on all ranks.
  [[noreturn]] void fail(const std::string& reason);

 private:
  using Clock = Peers::Clock;

  void receive();
  void handle(Packet packet);
  void hear(const Packet& packet);
  void tick();
  void tell_alive();
  void check_stop(Clock::time_point now);
  void check_silence(Clock::time_point now);
  void check_progress(Clock::time_point now);
  template <class F>
  void linger(std::chrono::milliseconds most, F&& until);
  void tell_all(Note note, const std::string& text);
  std::string own_status() const;
  void look_after(const std::stop_token& stop);
  [[noreturn]] void end(const std::string& reason);

  Transport& transport_;
  std::mutex state_;  ///< of all below, but while the transport is called
  std::unique_lock<std::mutex> mine_{state_};
  std::atomic<int64_t> outside_since_ = 0;  ///< ns; 0: not there
  std::function<void(const std::string&)> end_process_;
  std::chrono::milliseconds watchdog_, patience_{0};
  Peers peers_;
  std::function<std::string()> status_;
  std::function<void()> last_;
  std::deque<Packet> packets_, notes_;
  std::optional<uint64_t> count_;
  Clock::time_point ticked_, looked_, moved_;
  std::jthread guard_;
};

/// Tells whether a signal that this process keeps pending has come.
bool is_pending(int signal);

}  // namespace pipewright::transport
