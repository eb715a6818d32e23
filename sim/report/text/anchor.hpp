// A fitted anchor.
#pragma once

#include "report/text/report.hpp"
#include "result/anchor.hpp"

namespace pipewright {

/// The report has the factors, each with its doubt, and the runs that they were fitted to.
Report anchor_report(const AnchorFit& fit);

}  // namespace pipewright
