#include "calibrate/transport/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "calibrate/transport/nap.hpp"

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

std::string text_of(const std::vector<std::byte>& bytes, size_t from = 0) {
  return {reinterpret_cast<const char*>(bytes.data()) + from, bytes.size() - from};
}

std::string in_words(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

}  // namespace

bool is_pending(int signal) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

Session::Session(Transport& transport, std::chrono::milliseconds watchdog)
    : transport_(transport),
      watchdog_(watchdog),
      peers_(transport.hosts(), transport.rank(), Clock::now()),
      ticked_(Clock::now()),
      looked_(ticked_),
      moved_(ticked_) {}

Session::~Session() = default;

void Session::send(int to, Channel channel, uint32_t tag, Payload payload, size_t size) {
  outside([&] {
    transport_.send(to, channel, tag, std::move(payload), size);
    return true;
  });
}

void Session::progress(std::optional<uint64_t> count) {
  if (count != count_) moved_ = Clock::now();
  count_ = count;
}

void Session::send(int to, Note note, std::vector<std::byte> bytes) {
  const size_t size = bytes.size();
  send(to, Channel::control, static_cast<uint32_t>(note),
       std::make_shared<const std::vector<std::byte>>(std::move(bytes)), size);
}

std::optional<Packet> Session::poll() {
  receive();
  tick();
  if (packets_.empty()) return {};
  Packet packet = std::move(packets_.front());
  packets_.pop_front();
  return packet;
}

std::optional<Packet> Session::take(Note note) {
  receive();
  tick();
  const auto found = std::find_if(notes_.begin(), notes_.end(), [&](const Packet& packet) {
    return packet.tag == static_cast<uint32_t>(note);
  });
  if (found == notes_.end()) return {};
  Packet packet = std::move(*found);
  notes_.erase(found);
  return packet;
}

Packet Session::wait(Note note, bool eagerly) {
  for (const Nap nap;;) {
    if (std::optional<Packet> packet = take(note)) return std::move(*packet);
    if (eagerly)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(nap.length());
  }
}

Parts Session::exchange(std::vector<std::byte> own, bool eagerly) {
  if (!is_first()) {
    send(0, Note::to_first, std::move(own));
    return unpack(wait(Note::from_first, eagerly).bytes, static_cast<size_t>(size()));
  }
  Parts all(static_cast<size_t>(size()));
  all[0] = std::move(own);
  for (int i = 1; i < size(); ++i) {
    Packet packet = wait(Note::to_first, eagerly);
    all[static_cast<size_t>(packet.from)] = std::move(packet.bytes);
  }
  for (int to = 1; to < size(); ++to) send(to, Note::from_first, pack(all));
  return all;
}

void Session::receive() {
  for (;;) {
    std::optional<Packet> packet = outside([&] { return transport_.poll(); });
    if (!packet.has_value()) return;
    handle(std::move(*packet));
  }
}

void Session::handle(Packet packet) {
  peers_.hear(packet.from, Clock::now());
  if (packet.channel != Channel::control) return packets_.push_back(std::move(packet));
  switch (static_cast<Note>(packet.tag)) {
    case Note::alive:
      return hear(packet);
    case Note::stop:
      return peers_.note_stop(packet.from, text_of(packet.bytes));
    case Note::kept:
      return peers_.note_kept(packet.from);
    case Note::ping: {
      const int64_t now = Clock::now().time_since_epoch().count();
      return send(packet.from, Note::pong, bytes_of(&now, sizeof now));
    }
    default:
      notes_.push_back(std::move(packet));
  }
}

void Session::hear(const Packet& packet) {
  uint64_t count = 0;
  if (packet.bytes.size() < sizeof count) return;
  std::memcpy(&count, packet.bytes.data(), sizeof count);
  if (peers_.note_status(packet.from, count, text_of(packet.bytes, sizeof count)))
    moved_ = Clock::now();
}

void Session::tick() {
  const Clock::time_point now = Clock::now();
  const auto passed = now - ticked_;
  if (now - looked_ > look_every) {
    looked_ = now;
    check_stop(now);
  }
  if (passed < alive_every) return;
  if (passed > 10 * alive_every) peers_.forgive(passed - alive_every);
  ticked_ = now;
  tell_alive();
  check_silence(now);
  check_progress(now);
}

void Session::tell_alive() {
  const uint64_t count = count_.value_or(0);
  std::vector<std::byte> bytes = bytes_of(&count, sizeof count);
  const std::string status = own_status();
  const std::vector<std::byte> words = bytes_of(status.data(), status.size());
  bytes.insert(bytes.end(), words.begin(), words.end());
  for (int to = 0; to < size(); ++to)
    if (to != rank()) send(to, Note::alive, bytes);
}

/// Checks whether the run is to stop. When a rank has died mpirun sends the others SIGCONT, SIGTERM
/// a second later, and SIGKILL soon after that. Whoever was only asleep is woken by SIGCONT, and
/// hears from all again.
void Session::check_stop(Clock::time_point now) {
  if (const std::string stopped = peers_.who_stopped(); !stopped.empty()) fail(stopped);
  const bool told = is_pending(SIGTERM);
  if (!told && !is_pending(SIGCONT)) return;
  const std::string gone = peers_.silent_since(now - silence_first);
  if (!gone.empty()) end(fmt::format("told to stop, nothing more from {}", gone));
  if (told) end("told to stop");
}

void Session::check_silence(Clock::time_point now) {
  const std::string silent = peers_.first_silent_since(now - watchdog_);
  if (!silent.empty())
    fail(fmt::format("nothing heard for {} from {}", in_words(watchdog_), silent));
}

void Session::check_progress(Clock::time_point now) {
  if (!count_ || now - moved_ < watchdog_ + patience_ + silence_first) return;
  fail(fmt::format("the run is stuck: no op has ended for {}{}", in_words(watchdog_ + patience_),
                   peers_.in_words()));
}

template <class F>
void Session::linger(std::chrono::milliseconds most, F&& until) {
  const Clock::time_point end = Clock::now() + most;
  while (Clock::now() < end) {
    receive();
    if (until()) return;
    std::this_thread::sleep_for(Nap::shortest);
  }
}

void Session::tell_all(Note note, const std::string& text) {
  for (int to = 0; to < size(); ++to)
    if (to != rank()) send(to, note, bytes_of(text.data(), text.size()));
}

std::string Session::own_status() const { return status_ ? status_() : "was getting ready"; }

/// A launcher kills the others soon after the first rank has ended: those wait for the first one,
/// which has a trace to write.
void Session::fail(const std::string& reason) {
  tell_all(Note::stop, reason);
  receive();
  if (is_first()) {
    if (last_) std::exchange(last_, {})();
    tell_all(Note::kept, "");
    linger(farewell, [&] { return peers_.all_stop() && sent(); });
  } else {
    linger(first_keeps, [&] { return peers_.first_is_through(Clock::now(), first_hears); });
  }
  end(reason);
}

void Session::end(const std::string& reason) {
  if (last_) last_();
  throw Failure(fmt::format("{}; rank {} {}", reason, rank(), own_status()));
}

}  // namespace pipewright::transport
