#include "calibrate/transport/watch.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "calibrate/transport/nap.hpp"
#include "calibrate/transport/parts.hpp"

namespace pipewright::transport {
namespace {

using namespace std::chrono_literals;

constexpr auto alive_every = 100ms;
/// The period at which signals, and what others say of them, are looked for.
constexpr auto look_every = 10ms;
/// The time for all to hear that, and why, a rank ends the run.
constexpr auto farewell = 300ms;
/// The time for the first rank to hear of the end, and to keep what had run.
constexpr auto first_hears = 1s, first_keeps = 5s;
/// Who is silent is named rather than that nobody gets on, which follows from it.
constexpr auto silence_first = 5 * alive_every;
/// Of a rank that is gone, where the transport does not come back.
constexpr auto silence_of_gone = 300ms;

std::string text_of(const std::vector<std::byte>& bytes, size_t from = 0) {
  return {reinterpret_cast<const char*>(bytes.data()) + from, bytes.size() - from};
}

std::string in_words(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

/// Tells whether a signal that this process keeps pending has come.
bool is_pending(int signal) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

}  // namespace

Watch::Watch(const Transport& transport, Post& post, std::chrono::milliseconds watchdog)
    : rank_(transport.rank()),
      post_(post),
      peers_(transport.hosts(), rank_, Clock::now()),
      progress_(watchdog) {}

void Watch::receive() {
  for (;;) {
    std::optional<Packet> packet = post_.receive();
    if (!packet) return;
    handle(std::move(*packet));
  }
}

void Watch::handle(Packet packet) {
  peers_.hear(packet.from, Clock::now());
  if (packet.channel != Channel::control) return post_.keep(std::move(packet));
  switch (static_cast<Note>(packet.tag)) {
    case Note::alive:
      return hear(packet);
    case Note::stop:
      if (lost_ && packet.from != 0) return lose(packet.from);
      return peers_.note_stop(packet.from, text_of(packet.bytes));
    case Note::kept:
      return peers_.note_kept(packet.from);
    case Note::ping: {
      const int64_t now = Clock::now().time_since_epoch().count();
      return post_.send(packet.from, Note::pong, bytes_of(&now, sizeof now));
    }
    default:
      post_.keep(std::move(packet));
  }
}

void Watch::hear(const Packet& packet) {
  uint64_t count = 0;
  if (packet.bytes.size() < sizeof count) return;
  std::memcpy(&count, packet.bytes.data(), sizeof count);
  if (peers_.note_status(packet.from, count, text_of(packet.bytes, sizeof count)))
    progress_.note_other();
}

void Watch::lose(int rank) {
  peers_.note_gone(rank);
  lost_(rank, peers_.described(rank));
}

void Watch::tick() {
  const Clock::time_point now = Clock::now();
  const auto passed = now - ticked_;
  if (now - looked_ > look_every) {
    looked_ = now;
    check_stop(now);
  }
  if (passed < alive_every) return;
  if (passed > 10 * alive_every) wake_up(now, passed);
  ticked_ = now;
  tell_alive();
  check_first(now);
  check_silence(now);
  check_progress(now);
}

void Watch::wake_up(Clock::time_point now, Clock::duration slept) {
  peers_.forgive(slept - alive_every, now);
  if (slept > lost_after_) woke_ = now;
}

/// Once a process has ended, what it sent to a sleeping one of its host may never come. So for a
/// while after a long sleep the first is waited for no longer than it may take to keep results.
void Watch::check_first(Clock::time_point now) {
  if (!woke_ || now < *woke_ + first_keeps) return;
  if (peers_.first_silent_since(now - first_keeps) == 0)
    fail(fmt::format("this process was asleep, and nothing is heard of {}", peers_.described(0)));
  if (now > *woke_ + lost_after_) woke_.reset();
}

void Watch::tell_alive() {
  const uint64_t count = progress_.count();
  std::vector<std::byte> bytes = bytes_of(&count, sizeof count);
  const std::string status = own_status();
  const std::vector<std::byte> words = bytes_of(status.data(), status.size());
  bytes.insert(bytes.end(), words.begin(), words.end());
  post_.send_all(Note::alive, bytes);
}

/// Checks whether the run is to stop. When a rank has died mpirun sends the others SIGCONT, SIGTERM
/// a second later, and SIGKILL soon after that. Whoever was only asleep is woken by SIGCONT, and
/// hears from all again.
void Watch::check_stop(Clock::time_point now) {
  if (const std::string stopped = peers_.who_stopped(); !stopped.empty()) fail(stopped);
  const bool told = is_pending(SIGTERM);
  if (!told && (lost_ || !is_pending(SIGCONT))) return;
  const std::string gone = peers_.silent_since(now - silence_first);
  if (!gone.empty()) end(fmt::format("told to stop, nothing more from {}", gone));
  if (told) end("told to stop");
}

void Watch::check_silence(Clock::time_point now) {
  for (;;) {
    const std::optional<int> silent = peers_.first_silent_since(now - progress_.watchdog());
    if (!silent) return;
    if (lost_ && *silent != 0) {
      lose(*silent);
      continue;
    }
    fail(fmt::format("nothing heard for {} from {}", in_words(progress_.watchdog()),
                     peers_.described(*silent)));
  }
}

void Watch::check_progress(Clock::time_point now) {
  if (!progress_.is_stuck(now, silence_first)) return;
  fail(fmt::format("the run is stuck: no op has ended for {}{}", in_words(progress_.most()),
                   peers_.in_words()));
}

template <class F>
void Watch::linger(std::chrono::milliseconds most, F&& until) {
  const Clock::time_point end = Clock::now() + most;
  while (Clock::now() < end) {
    receive();
    if (until()) return;
    std::this_thread::sleep_for(Nap::shortest);
  }
}

std::string Watch::own_status() const { return status_ ? status_() : "was getting ready"; }

/// A launcher kills the others soon after the first rank has ended: those wait for the first one,
/// which has a trace to write.
void Watch::fail(const std::string& reason) {
  post_.send_all(Note::stop, bytes_of(reason.data(), reason.size()));
  receive();
  if (rank_ == 0) {
    if (last_) std::exchange(last_, {})();
    post_.send_all(Note::kept, {});
    linger(farewell, [&] { return peers_.all_stop() && post_.sent(); });
  } else {
    linger(first_keeps, [&] { return peers_.first_is_through(Clock::now(), first_hears); });
  }
  end(reason);
}

std::string Watch::why_to_end(Clock::duration outside) {
  // Who goes on without others may have been asleep, and waits for SIGTERM.
  const bool told = is_pending(SIGTERM) || (!lost_ && is_pending(SIGCONT));
  if (!told && outside < progress_.most()) return {};
  if (last_) last_();
  const std::string gone = peers_.silent_since(Clock::now() - silence_of_gone);
  return fmt::format("{}{}{}; rank {} {}", told ? "told to stop" : "the transport is stuck",
                     gone.empty() ? "" : ", nothing more from ", gone, rank_, own_status());
}

void Watch::end(const std::string& reason) {
  if (last_) last_();
  throw Failure(fmt::format("{}; rank {} {}", reason, rank_, own_status()));
}

}  // namespace pipewright::transport
