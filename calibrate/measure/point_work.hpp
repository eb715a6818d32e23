// A measured point as the work that a simulation would ask for.
#pragma once

#include <optional>

#include "calibrate/measure/point.hpp"

namespace pipewright::calibration {

/// Nothing for a point that no program has: a launch, and what goes over the host's link.
std::optional<Work> work_of(const Point& point);

}  // namespace pipewright::calibration
