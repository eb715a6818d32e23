#include "cli/run_progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "base/tell.hpp"
#include "base/text.hpp"

namespace pipewright::cli {
namespace {

constexpr auto between_updates = std::chrono::milliseconds(200);

}  // namespace

RunProgress::RunProgress(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO)) {}

RunProgress::~RunProgress() {
  if (drawn_) tell("\r\033[K");
}

void RunProgress::show(int64_t done, int64_t total, int64_t found) {
  const Clock::time_point now = Clock::now();
  if (!wanted_ || now - last_ < between_updates) return;
  last_ = now;
  drawn_ = true;
  const double passed = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done - found) / passed;
  tell("\r\033[K{} of {} runs, {:.{}f}/s, {} left", done, total, rate, rate < 10 ? 1 : 0,
       human_time(static_cast<double>(total - done) / rate));
  std::fflush(stderr);
}

}  // namespace pipewright::cli
