// Fits measured times of kernels that stream with the lines of a profile.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "cost/measured_stream.hpp"

namespace pipewright::fit {

struct StreamSample {
  double bytes = 0;  ///< read and written
  double seconds = 0;
};

/// A line in bytes, and a second, steeper one below a cache's size where the samples show it (the
/// sum of squares falls by a fifth). The stated error comes from fits that did not see a fifth of
/// the samples, each fifth in turn. Nothing where there are fewer than five sizes, or where what is
/// predicted without it, `otherwise` (seconds of bytes), is as good at those samples.
std::optional<StreamProfile> fit_stream(Kernel kernel, bool gradient,
                                        std::span<const StreamSample> samples,
                                        const std::function<double(double bytes)>& otherwise);

}  // namespace pipewright::fit
