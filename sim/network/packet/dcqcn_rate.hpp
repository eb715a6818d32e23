// The rate of a sender under DCQCN: marks of long queues cut it, time lets it grow again.
//
//   at a notice, at most one in 50 us:  target = rate; rate *= 1 - a / 2; a = (1 - g) a + g
//   every 55 us without a notice:       a = (1 - g) a
//   every 55 us since the last notice:  rate = (rate + target) / 2, and from the sixth time on the
//                                       target is 40 Mb/s more before
//   begins at the rate of the sender's port, which it never exceeds, with a = 1; g = 1 / 256
//
// Source: Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, sections
// 3.1 and 5, with the constants of its section 5.2. Left out: steps by bytes sent, and the increase
// after both kinds of steps are past five.
#pragma once

#include "base/units.hpp"

namespace pipewright {

class DcqcnRate {
 public:
  explicit DcqcnRate(double line_bytes_per_s = 0)
      : line_(line_bytes_per_s), rate_(line_bytes_per_s), target_(line_bytes_per_s) {}

  /// Notes that a packet of the sender was marked.
  void notice(Time now);
  /// Bytes/s from now on. `now` never goes back.
  double at(Time now);

 private:
  void advance(Time now);

  double line_, rate_, target_, cut_ = 1;
  int steps_ = 0;  ///< since the last notice
  Time next_notice_, next_decay_ = longest_time, next_step_ = longest_time;
};

}  // namespace pipewright
