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

using Parts = std::vector<std::vector<std::byte>>;

/// Each part after its length.
std::vector<std::byte> pack(const Parts& parts) {
  std::vector<std::byte> bytes;
  for (const std::vector<std::byte>& part : parts) {
    const uint64_t size = part.size();
    const std::vector<std::byte> head = bytes_of(&size, sizeof size);
    bytes.insert(bytes.end(), head.begin(), head.end());
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

Parts unpack(const std::vector<std::byte>& bytes, Parts parts) {
  const std::byte* at = bytes.data();
  for (std::vector<std::byte>& part : parts) {
    uint64_t size = 0;
    std::memcpy(&size, at, sizeof size);
    at += sizeof size;
    part.assign(at, at + size);
    at += size;
  }
  return parts;
}

}  // namespace

bool is_pending(int signal) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

std::vector<std::byte> bytes_of(const void* data, size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  return bytes;
}

Session::Session(Transport& transport, std::chrono::milliseconds watchdog)
    : transport_(transport),
      watchdog_(watchdog),
      peers_(static_cast<size_t>(transport.size())),
      ticked_(Clock::now()),
      looked_(ticked_),
      moved_(ticked_) {
  for (Peer& peer : peers_) peer.heard = ticked_;
}

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

std::vector<std::vector<std::byte>> Session::exchange(std::vector<std::byte> own, bool eagerly) {
  std::vector<std::vector<std::byte>> all(peers_.size());
  if (!is_first()) {
    send(0, Note::to_first, std::move(own));
    return unpack(wait(Note::from_first, eagerly).bytes, std::move(all));
  }
  all[0] = std::move(own);
  for (int i = 1; i < size(); ++i) {
    Packet packet = wait(Note::to_first, eagerly);
    all[static_cast<size_t>(packet.from)] = std::move(packet.bytes);
  }
  for (int to = 1; to < size(); ++to) send(to, Note::from_first, pack(all));
  return all;
}

void Session::receive() {
  while (std::optional<Packet> packet = outside([&] { return transport_.poll(); }))
    handle(std::move(*packet));
}

void Session::handle(Packet packet) {
  Peer& peer = peers_[static_cast<size_t>(packet.from)];
  peer.heard = Clock::now();
  if (packet.channel != Channel::control) return packets_.push_back(std::move(packet));
  switch (static_cast<Note>(packet.tag)) {
    case Note::alive:
      return hear(packet);
    case Note::stop:
      peer.stopping = true;
      peer.reason = text_of(packet.bytes);
      return;
    case Note::kept:
      peer.kept = true;
      return;
    case Note::ping: {
      const int64_t now = Clock::now().time_since_epoch().count();
      return send(packet.from, Note::pong, bytes_of(&now, sizeof now));
    }
    default:
      notes_.push_back(std::move(packet));
  }
}

void Session::hear(Packet& packet) {
  Peer& peer = peers_[static_cast<size_t>(packet.from)];
  uint64_t count = 0;
  if (packet.bytes.size() < sizeof count) return;
  std::memcpy(&count, packet.bytes.data(), sizeof count);
  if (count != peer.count) moved_ = peer.heard;
  peer.count = count;
  peer.status = text_of(packet.bytes, sizeof count);
}

void Session::tick() {
  const Clock::time_point now = Clock::now();
  const auto passed = now - ticked_;
  if (now - looked_ > look_every) {
    looked_ = now;
    check_stop(now);
  }
  if (passed < alive_every) return;
  // Who was not listening has not heard, either.
  if (passed > 10 * alive_every)
    for (Peer& peer : peers_) peer.heard += passed - alive_every;
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
  for (size_t r = 0; r < peers_.size(); ++r)
    if (peers_[r].stopping) fail(heard_from(r));
  const bool told = is_pending(SIGTERM);
  if (!told && !is_pending(SIGCONT)) return;
  const std::string gone = silent_since(now - silence_first);
  if (!gone.empty()) end(fmt::format("told to stop, nothing more from {}", gone));
  if (told) end("told to stop");
}

/// Returns who ended the run, and why: `rank` itself, or another that it heard it from.
std::string Session::heard_from(size_t rank) const {
  const std::string& reason = peers_[rank].reason;
  constexpr std::string_view ended = " ended the run: ";
  if (reason.find(ended) != std::string::npos) return reason;
  return fmt::format("{}{}{}", name(rank), ended, reason);
}

std::string Session::silent_since(Clock::time_point then) const {
  std::string gone;
  for (size_t r = 0; r < peers_.size(); ++r)
    if (static_cast<int>(r) != rank() && peers_[r].heard < then)
      gone += fmt::format("{}{}, which {}", gone.empty() ? "" : "; ", name(r), peers_[r].status);
  return gone;
}

void Session::check_silence(Clock::time_point now) {
  for (size_t r = 0; r < peers_.size(); ++r) {
    if (static_cast<int>(r) == rank() || now - peers_[r].heard < watchdog_) continue;
    fail(fmt::format("nothing heard for {} from {}, which {}", in_words(watchdog_), name(r),
                     peers_[r].status));
  }
}

void Session::check_progress(Clock::time_point now) {
  if (!count_ || now - moved_ < watchdog_ + patience_ + silence_first) return;
  std::string text =
      fmt::format("the run is stuck: no op has ended for {}", in_words(watchdog_ + patience_));
  constexpr size_t most = 8;
  for (size_t r = 0; r < std::min(peers_.size(), most); ++r)
    if (static_cast<int>(r) != rank()) text += fmt::format("; {} {}", name(r), peers_[r].status);
  fail(text);
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

bool Session::all_stop() const {
  const auto count =
      std::count_if(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.stopping; });
  return count + 1 == size() && transport_.sent();
}

void Session::tell_all(Note note, const std::string& text) {
  for (int to = 0; to < size(); ++to)
    if (to != rank()) send(to, note, bytes_of(text.data(), text.size()));
}

std::string Session::own_status() const { return status_ ? status_() : "was getting ready"; }

std::string Session::name(size_t rank) const {
  return fmt::format("rank {} ({})", rank, hosts()[rank]);
}

/// A launcher kills the others soon after the first rank has ended: those wait for the first one,
/// which has a trace to write.
void Session::fail(const std::string& reason) {
  tell_all(Note::stop, reason);
  receive();
  if (is_first()) {
    if (last_) std::exchange(last_, {})();
    tell_all(Note::kept, "");
    linger(farewell, [&] { return all_stop(); });
  } else {
    const Peer& first = peers_[0];
    const auto is_gone = [&] {
      return !first.stopping && Clock::now() - first.heard > first_hears;
    };
    linger(first_keeps, [&] { return first.kept || is_gone(); });
  }
  end(reason);
}

void Session::end(const std::string& reason) {
  if (last_) last_();
  throw Failure(fmt::format("{}; rank {} {}", reason, rank(), own_status()));
}

}  // namespace pipewright::transport
