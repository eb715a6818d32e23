#include "calibrate/transport/clocks.hpp"

#include <algorithm>
#include <cstring>

namespace pipewright::transport {
namespace {

constexpr int rounds_each = 30;

int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

Offset estimate(std::span<const Round> rounds) {
  const auto trip = [](const Round& r) { return r.received - r.sent; };
  const auto best =
      std::min_element(rounds.begin(), rounds.end(),
                       [&](const Round& a, const Round& b) { return trip(a) < trip(b); });
  if (best == rounds.end()) return {};
  return {best->replied - (best->sent + trip(*best) / 2), trip(*best)};
}

Offset align(Session& session) {
  std::vector<Round> rounds;
  for (int i = 0; i < rounds_each && !session.is_first(); ++i) {
    Round round{.sent = now()};
    session.send(0, Note::ping, {});
    const Packet pong = session.wait(Note::pong, true);
    round.received = now();
    std::memcpy(&round.replied, pong.bytes.data(), sizeof round.replied);
    rounds.push_back(round);
  }
  session.exchange({}, true);
  return estimate(rounds);
}

}  // namespace pipewright::transport
