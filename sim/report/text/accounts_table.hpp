// Where the time of an iteration goes, as a table of a summary.
#pragma once

#include "report/text/report.hpp"
#include "result/result.hpp"

namespace pipewright {

/// The table has a row for every place of the accounts that is not empty: the mean device, the rank
/// that computes least, and what the iteration would gain without that cost, where it was asked
/// for. `idle` is the name of the time in which nothing is to be done. It is empty where nothing
/// was computed.
Report accounts_table(const Metrics& metrics, const char* idle = "bubble");

}  // namespace pipewright
