#include "calibrate/cli/progress.hpp"

#include <cstdio>

#include "base/tell.hpp"

namespace pipewright::cli {

void ProgressLine::show(const calibration::Progress& progress, const std::string& what) {
  if (!visible_) return;
  constexpr size_t width = 24;
  const size_t full = progress.all ? width * progress.done / progress.all : width;
  tell("\r\x1b[K[{:<{}}] {}/{}, {:.0f} s left, {:.40}", std::string(full, '#'), width,
       progress.done, progress.all, progress.left_s, what);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  tell("\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace pipewright::cli
