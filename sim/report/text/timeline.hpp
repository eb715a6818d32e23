// A timeline in a terminal: one line a pipeline rank, time from left to right.
//
//   F forward, B backward, I input gradient, W weight gradient, P an overlapped pair of F and B,
//   S optimizer step, - a transfer or collective that holds the compute stream, . idle
//
// An op begins with its letter and, where there is room, the number of its micro-batch, and goes on
// in lower case: F12fff. Where ops are shorter than a column the letters show their proportions.
#pragma once

#include <string>

#include "program/program.hpp"
#include "result/result.hpp"

namespace pipewright {

/// The text is at most `columns` wide and `lines` ranks long, evenly chosen where there are more;
/// of several simulated replicas it shows the first. It ends with the time axis and the letters
/// that occur.
std::string ascii_timeline(const Program& program, const Timeline& timeline, size_t columns,
                           size_t lines = 64);

}  // namespace pipewright
