#include "calibrate/transport/guard.hpp"

namespace pipewright::transport {
namespace {

using namespace std::chrono_literals;

constexpr auto guard_every = 20ms;
/// A call that takes so long, when a launcher ends the run, does not come back.
constexpr auto long_outside = 300ms;

}  // namespace

void Guard::start(std::function<void(Clock::duration)> look) {
  look_ = std::move(look);
  thread_ = std::jthread([this](const std::stop_token& stop) { look_after(stop); });
}

void Guard::look_after(const std::stop_token& stop) {
  for (; !stop.stop_requested(); std::this_thread::sleep_for(guard_every)) {
    const int64_t since = outside_since_;
    const auto outside = Clock::now().time_since_epoch() - Clock::duration(since);
    if (since == 0 || outside < long_outside) continue;
    const std::unique_lock lock(state_, std::try_to_lock);
    if (lock && outside_since_ == since) look_(outside);
  }
}

}  // namespace pipewright::transport
