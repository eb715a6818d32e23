// Where the time of a real iteration is expected.
#pragma once

namespace pipewright {

/// Four in five real iterations are expected to take from `p10_s` to `p90_s`.
struct TimeRange {
  double p10_s = 0, p90_s = 0;
};

}  // namespace pipewright
