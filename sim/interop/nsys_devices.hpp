// What ran on the devices of an SQLite export of Nsight Systems: the tables of kernels, copies and
// CUDA graphs. interop/nsys_profile.hpp says which columns are read.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interop/rank_profile.hpp"
#include "interop/sqlite_file.hpp"

namespace pipewright::interop {

/// An event, by its rank and its place in that profile.
struct NsysPlace {
  size_t rank = 0, event = 0;
};

struct NsysDevices {
  std::vector<RankProfile> profiles;
  std::map<std::pair<int64_t, int64_t>, size_t> ranks;  ///< by device and process
  /// By process and correlation, what a call launched.
  std::map<int64_t, std::unordered_map<int64_t, NsysPlace>> launched;
};

/// Every device on which a process runs kernels is a rank. Throws InputError where there is none.
NsysDevices read_nsys_devices(const SqliteFile& database);

/// Start and end of a row whose first two columns they are. Throws InputError for what is beyond
/// all sessions or runs backwards.
std::pair<Time, Time> nsys_times(const SqliteRows& rows, const std::string& file);

/// The begin of the longest session.
inline constexpr Time earliest_nsys_time = nanoseconds(-int64_t{2'000'000'000'000'000});

}  // namespace pipewright::interop
