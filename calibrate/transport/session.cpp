#include "calibrate/transport/session.hpp"

#include <thread>
#include <utility>

#include "calibrate/transport/nap.hpp"

namespace pipewright::transport {

Session::Session(Transport& transport, std::chrono::milliseconds watchdog)
    : transport_(transport), post_(transport, guard_), watch_(transport, post_, watchdog) {}

Session::~Session() { guard_.stop(); }

void Session::guard(std::function<void(const std::string&)> end_process) {
  guard_.start([this, end_process = std::move(end_process)](Guard::Clock::duration outside) {
    if (const std::string why = watch_.why_to_end(outside); !why.empty()) end_process(why);
  });
}

std::optional<Packet> Session::poll() {
  watch_.receive();
  watch_.tick();
  return post_.take();
}

std::optional<Packet> Session::take(Note note) {
  watch_.receive();
  watch_.tick();
  return post_.take(note);
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

}  // namespace pipewright::transport
