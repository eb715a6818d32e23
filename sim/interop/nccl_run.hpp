// One run of a program of nccl-tests, as its log has it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interop/nccl_points.hpp"

namespace pipewright::interop {

/// What takes less than such a part of the time of fewer bytes is no measurement: steps of real
/// curves are up to 7 times down, where a protocol changes.
inline constexpr double least_growth = 20;

/// A line of numbers.
struct NcclRow {
  int line = 0;
  Bytes bytes;
  std::string type, redop;
  int root = -1;
  int64_t count = 0;  ///< elements, of one rank where each has a part; 0 where no column says it
  double time_us = 0, algbw = 0, busbw = 0;  ///< bandwidths in GB/s
  std::optional<double> in_place_us;
  bool checks_in_place_only_not = false;  ///< results were checked, but not those in place
  bool checks_in_place = false;
};

/// The ranks of a host: the first, the last, and how many lines name one.
struct NcclHost {
  int first = 0, last = 0, count = 0;
};

struct NcclRun {
  std::string operation, device, library, transport;  ///< empty where nothing says them
  int ranks = 0;                                      ///< 0 where no line says it
  int nodes = 0;                                      ///< as NCCL says it; 0 where it does not
  std::map<std::string, NcclHost> hosts;
  bool has_redop = true, has_root = true;  ///< columns
  std::vector<NcclRow> rows;
};

/// Returns what `run` measured. Ranks, hosts and the operation that no line says are those that its
/// columns and bandwidths allow, or what the user `said`. Throws InputError where they allow
/// several, and for rows that cannot be of one run.
std::vector<NcclPoint> points_of(const NcclRun& run, const std::string& file,
                                 const NcclGiven& said);

}  // namespace pipewright::interop
