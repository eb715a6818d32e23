// The table of a collective. A terminal shows it as nccl-tests prints it.
#pragma once

#include <string>

#include "network/nccl/collective_table.hpp"
#include "report/text/report.hpp"

namespace pipewright {

/// The report has sizes in bytes, times in microseconds and bandwidths in GB/s. A time that was
/// measured stands beside the predicted one, with its error.
Report collective_report(const CollectiveTable& table);

/// The answer is a sentence: how long the largest size takes, and from which size on the network is
/// used well. It is empty where nothing was asked for.
std::string collective_answer(const CollectiveTable& table);

}  // namespace pipewright
