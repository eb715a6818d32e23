// Who the processes of an SQLite export of Nsight Systems are: their ranks in MPI and the
// communicators of NCCL that they made. That is little of an export, and all that another export of
// the same job needs of it: communicators span nodes, and each node has its export.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interop/nvtx_payloads.hpp"
#include "interop/sqlite_file.hpp"

namespace pipewright {

struct NsysProcess {
  int rank = -1;  ///< in MPI; -1: nobody knows
  std::vector<interop::NcclPayload> made;
};

/// Throws InputError for what is no database. Exports that do not tell processes apart have none.
std::vector<NsysProcess> read_nsys_processes(const std::string& file);

namespace interop {

/// A globalTid is a globalPid with the thread in its lowest 24 bits.
inline constexpr int64_t nsys_process_bits = ~int64_t{0xffffff};

/// Ranges that have ended: start, end, globalTid, text, payload as JSON, payload as bytes. Of all,
/// or of those whose text is `like` a pattern of SQL.
SqliteRows nsys_ranges(const SqliteFile& database, const std::string& like = {});

/// By globalPid, as the database says it; empty: nobody numbers them.
std::vector<std::pair<int64_t, int>> nsys_mpi_ranks(const SqliteFile& database);

/// What a row of nsys_ranges() says of a call of NCCL.
NcclPayload nsys_payload(const SqliteRows& row, const NvtxPayloads& payloads);

}  // namespace interop
}  // namespace pipewright
