// Traces of the PyTorch profiler (Kineto's Chrome trace, JSON, also packed by gzip), one rank a
// file.
//
// Read as a stream: one event is held at a time, and of all events only those that a diagnosis
// looks at: what runs on the device, the calls that launch it, ranges of users and of the autograd
// engine. Times are microseconds on the rank's clock, kept from the first event on, because those
// of some releases count from 1970 and no Time holds them. Names and arguments of NCCL's kernels
// are those that PyTorch writes from 2.1 on ("Collective name", "In msg nelems", "Process Group
// Ranks", ...), at kernels or, with ROCm, at the host's calls (torch_collectives.hpp); older traces
// have the names of kernels only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "interop/rank_profile.hpp"

namespace pipewright {

/// Throws InputError for what is no such trace or is cut off, with the line where that shows.
RankProfile read_torch_profile(const std::string& file);

/// The rank that stands before the events of a trace, without reading these; -1: none does.
int read_torch_rank(const std::string& file);

/// What one element takes of a type as PyTorch names it: "BFloat16". 0: it is not known.
int64_t bytes_of_torch_type(std::string_view type);

}  // namespace pipewright
