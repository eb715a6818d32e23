#include "cli/waiting_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "base/tell.hpp"

namespace pipewright::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto before_it_appears = std::chrono::seconds(1);
constexpr auto between_looks = std::chrono::milliseconds(200);

double seconds_from(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What is shown of a step that began `passed` seconds ago.
std::string line_of(const Progress& progress, const char* step, double passed) {
  const auto done = static_cast<double>(progress.done.load(std::memory_order_relaxed));
  const auto total = static_cast<double>(progress.total.load(std::memory_order_relaxed));
  if (total <= 0 && done > 0) return fmt::format("{}: {:.0f}, {:.1f} s", step, done, passed);
  if (done <= 0 || total < done) return fmt::format("{}: {:.1f} s", step, passed);
  return fmt::format("{}: {:.0f} %, {:.1f} s left", step, 100 * done / total,
                     passed * (total - done) / done);
}

}  // namespace

WaitingLine::WaitingLine(bool wanted) : scope_(wanted ? &progress_ : progress_of_thread()) {
  if (wanted && isatty(STDERR_FILENO)) watcher_ = std::thread([this] { watch(); });
}

WaitingLine::~WaitingLine() {
  if (!watcher_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  watcher_.join();
}

void WaitingLine::watch() {
  std::unique_lock lock(mutex_);
  const Clock::time_point begin = Clock::now();
  Clock::time_point step_begin = begin;
  int number = 0;
  bool drawn = false;
  while (!wake_.wait_for(lock, between_looks, [&] { return over_; })) {
    const char* const step = progress_.step.load(std::memory_order_relaxed);
    const int now = progress_.number.load(std::memory_order_relaxed);
    if (now != number) step_begin = Clock::now();
    number = now;
    if (Clock::now() - begin < before_it_appears) continue;
    tell("\r\033[K{}", line_of(progress_, step, seconds_from(step_begin)));
    std::fflush(stderr);
    drawn = true;
  }
  if (drawn) tell("\r\033[K");
  std::fflush(stderr);
}

}  // namespace pipewright::cli
