// Predictions held against measurements.
#pragma once

#include "report/text/report.hpp"
#include "result/validation.hpp"

namespace pipewright {

/// The report has the runs, each with its error, then the groups, then all together, then why some
/// could not be predicted.
Report validation_report(const Validation& validation);

}  // namespace pipewright
