// Orders as PyTorch's torch.distributed.pipelining writes and reads them: a CSV file with one row a
// rank and no header, one action a cell.
//
//   0F0          stage 0, forward, micro-batch 0; likewise B (full backward), I (input gradient)
//   and
//                W (weight gradient)
//   (0F7;7B3)OVERLAP_F_B   a forward and a backward that run as one overlapped pair
//   (nothing)    an idle time step of torch's lock-step executor: carries no time, is skipped
//   0SEND_F1 1RECV_F1 1SEND_B1 0RECV_B1 0UNSHARD 0RESHARD 0REDUCE_GRAD
//                communication, which follows from the order: accepted and left out
// Older files write BW for a full backward and B for the input gradient; a file with BW, or with W
// but without I, is such a file. Rows may differ in length. Which rank holds a stage follows from
// the rows; that two ranks hold a stage for different micro-batches (bidirectional schedules) is
// our extension, which torch refuses.
#pragma once

#include <string>
#include <string_view>

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// The order in `text`, as one iteration. Throws InputError at line and column of `file_name` for
/// whatever is wrong with it.
Schedule read_torch_csv(std::string_view text, std::string_view file_name);

/// The same form, in today's notation: one iteration of a synchronous schedule, all of an
/// asynchronous one. Throws Misfit at `where` for token slices, which the form cannot say.
std::string write_torch_csv(const Schedule& schedule, const config::Value& where);

/// The prefix of a file where a schedule is wanted: torch-csv:FILE.
inline constexpr std::string_view torch_csv_prefix = "torch-csv:";

/// The schedule of `name`, torch-csv:FILE, for `shape`. Ranks or micro-batches of 0 are taken from
/// the file; others must agree with it, or it is a Misfit at `name`.
Schedule build_torch_csv(const Shape& shape, const config::Value& name);

}  // namespace pipewright::schedule
