// What more of each resource would gain, as a table.
#pragma once

#include "report/text/report.hpp"
#include "result/sensitivity.hpp"

namespace pipewright {

/// The table has a line for each resource, the largest gain first.
Report sensitivity_report(const Sensitivity& sensitivity);

/// The advice names what gains most, and what comes next.
std::string sensitivity_advice(const Sensitivity& sensitivity);

}  // namespace pipewright
