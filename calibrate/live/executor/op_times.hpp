// The times of a program's ops by themselves, and what they take from each other.
//
// n copies of an op that run at once, on n cores or n partitions of a GPU, take s times as long as
// one does alone: all of them fill the memory that they share, and one takes the part s / n of it.
// Assumption: copies that slow each other by less than a twentieth share nothing. What caches and
//   clocks that fall with the load take counts as memory.
#pragma once

#include <vector>

#include "program/program.hpp"

namespace pipewright::live {

/// The times of ops, and the memory they take, by op.
struct OpTimes {
  std::vector<Time> alone;
  std::vector<double> memory;  ///< the part of its bandwidth that the op takes when it is alone
};

/// Returns the shares by op or by type, as `alone` and `together`, the times of `copies` at once.
std::vector<double> shares_of_memory(const std::vector<Time>& alone,
                                     const std::vector<Time>& together, int copies);

/// Returns what was measured on partitions with `ratio` times as many multiprocessors as those that
/// `times` are wanted of: what computes takes that much longer, and uses the memory that much less.
/// Assumption: kernels have blocks for all multiprocessors of either, and no op fills the memory
///   by itself.
OpTimes on_smaller_partitions(const Program& program, OpTimes times, double ratio);

}  // namespace pipewright::live
