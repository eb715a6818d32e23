// Reads measured times of collectives: the logs of nccl-tests and the table
// op,dtype,ranks,bytes,time_s.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace pipewright::interop {

struct NcclPoint {
  std::string operation;  ///< as the table and `--kind` name it: "all_reduce", "send_recv"
  std::string type = "float";
  int element_bytes = 4;
  int ranks = 0, nodes = 1;
  Bytes bytes;  ///< as nccl-tests counts
  double time_s = 0;
  std::optional<double> in_place_s;
  std::optional<double> p5_s, p95_s;  ///< percentiles over jobs, where a table has them
  int jobs = 1;                       ///< that time and percentiles are over
  std::string device;                 ///< as the driver names it; empty where nobody says
  std::string library;                ///< "NCCL 2.28.7"; empty where nobody says
  std::string transport;              ///< between nodes, as NCCL names it: "IB"; empty as above
};

/// What the user says of a log; empty and 0 where nothing.
struct NcclGiven {
  std::string operation;
  int ranks = 0, nodes = 0;
};

/// Bytes of an element of one of NCCL's types, by its name in logs or tables ("half", "fp16",
/// "bfloat16"); nothing for a name that is none.
std::optional<int> element_bytes(std::string_view type);

/// Returns what nccl-tests printed, of any of its programs. Operation and ranks are taken from what
/// the log says of them, else from the ratio of its two bandwidths; `said` stands in for what the
/// log does not say. Throws InputError with the line.
std::vector<NcclPoint> read_nccl_log(std::string_view text, const std::string& file,
                                     const NcclGiven& said = {});

/// A CSV with the columns op,dtype,ranks,bytes,time_s, in any order. It may have nodes, time_p5_s,
/// time_p95_s and jobs; more are ignored. Throws InputError.
std::vector<NcclPoint> read_nccl_table(std::string_view text, const std::string& file);

/// Tells whether the text holds a table as torch.distributed's benchmarks print it: lines
/// "| payload | busbw | algbw |" below "The average bandwidth of all_reduce over 8 ranks".
bool is_torch_table(std::string_view text);
/// Reads such a table, of any of the operations. Throws InputError with the line.
std::vector<NcclPoint> read_torch_table(std::string_view text, const std::string& file);

/// One of the three, by its first lines. `said` as for a log.
std::vector<NcclPoint> read_nccl_points(std::string_view text, const std::string& file,
                                        const NcclGiven& said = {});

}  // namespace pipewright::interop
