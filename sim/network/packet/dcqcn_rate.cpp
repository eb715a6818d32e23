#include "network/packet/dcqcn_rate.hpp"

#include <algorithm>

namespace pipewright {
namespace {

constexpr double gain = 1.0 / 256, additive_bytes_per_s = 40e6 / 8;
constexpr Time between_notices = microseconds(50), period = microseconds(55);
constexpr int fast_steps = 5;

}  // namespace

/// Steps one after the other, until the rate is the port's again: then nothing changes but the cut.
void DcqcnRate::advance(Time now) {
  while (next_step_ <= now && rate_ < line_) {
    if (++steps_ > fast_steps) target_ = std::min(line_, target_ + additive_bytes_per_s);
    rate_ = (rate_ + target_) / 2;
    // Halves never arrive: a millionth is none.
    if (rate_ > line_ * (1 - 1e-6)) rate_ = line_;
    next_step_ = next_step_ + period;
  }
  for (; next_decay_ <= now && cut_ > 1e-9; next_decay_ = next_decay_ + period) cut_ *= 1 - gain;
}

void DcqcnRate::notice(Time now) {
  if (now < next_notice_) return;
  advance(now);
  target_ = rate_;
  rate_ *= 1 - cut_ / 2;
  cut_ = (1 - gain) * cut_ + gain;
  steps_ = 0;
  next_notice_ = now + between_notices;
  next_decay_ = next_step_ = now + period;
}

double DcqcnRate::at(Time now) {
  advance(now);
  return rate_;
}

}  // namespace pipewright
