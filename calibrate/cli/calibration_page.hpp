// A calibration as one HTML page.
#pragma once

#include <ostream>

#include "calibrate/measure/point.hpp"
#include "cost/profile.hpp"

namespace pipewright::cli {

/// Writes measured times against what the profile makes of them, errors by kernel, products that
/// the fit did not see, what was thrown away, and how the machine stood.
void write_html(const Profile& profile, const std::vector<calibration::Measured>& measured,
                std::ostream& out);

}  // namespace pipewright::cli
