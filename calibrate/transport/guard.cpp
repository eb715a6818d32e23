#include <fmt/format.h>

#include <csignal>

#include "calibrate/transport/session.hpp"

namespace pipewright::transport {
namespace {

using namespace std::chrono_literals;

constexpr auto look_every = 20ms;
/// A call that takes so long, when a launcher ends the run, does not come back.
constexpr auto stuck = 300ms;

}  // namespace

void Session::guard(std::function<void(const std::string&)> end_process) {
  end_process_ = std::move(end_process);
  guard_ = std::jthread([this](const std::stop_token& stop) { look_after(stop); });
}

void Session::look_after(const std::stop_token& stop) {
  for (; !stop.stop_requested(); std::this_thread::sleep_for(look_every)) {
    const int64_t since = outside_since_;
    const Clock::time_point now = Clock::now();
    const auto outside = now.time_since_epoch() - Clock::duration(since);
    if (since == 0 || outside < stuck) continue;
    const std::unique_lock lock(state_, std::try_to_lock);
    if (!lock || outside_since_ != since) continue;
    const bool told = is_pending(SIGTERM) || is_pending(SIGCONT);
    if (!told && outside < watchdog_ + patience_) continue;
    if (last_) last_();
    const std::string gone = peers_.silent_since(now - stuck);
    end_process_(fmt::format("{}{}{}; rank {} {}", told ? "told to stop" : "the transport is stuck",
                             gone.empty() ? "" : ", nothing more from ", gone, rank(),
                             own_status()));
  }
}

}  // namespace pipewright::transport
