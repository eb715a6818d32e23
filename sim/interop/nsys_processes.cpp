#include "interop/nsys_processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace pipewright {
namespace interop {

SqliteRows nsys_ranges(const SqliteFile& database, const std::string& like) {
  const char* table = "NVTX_EVENTS";
  const auto has = [&](const char* column) {
    return !database.first_column(table, {column}).empty();
  };
  const bool has_ids = has("textId"), has_json_ids = has("jsonTextId");
  const std::string json = has("jsonText") ? "n.jsonText" : "NULL";
  const char* text = has_ids ? "COALESCE(n.text, s.value)" : "n.text";
  return database.rows(
      fmt::format("SELECT n.start, n.end, n.globalTid, {}, {}, {} FROM NVTX_EVENTS n {} {} "
                  "WHERE n.end IS NOT NULL{}",
                  text, has_json_ids ? "COALESCE(" + json + ", j.value)" : json,
                  has("binaryData") ? "n.binaryData" : "NULL",
                  has_ids ? "LEFT JOIN StringIds s ON s.id = n.textId" : "",
                  has_json_ids ? "LEFT JOIN StringIds j ON j.id = n.jsonTextId" : "",
                  like.empty() ? "" : fmt::format(" AND {} LIKE '{}'", text, like)));
}

std::vector<std::pair<int64_t, int>> nsys_mpi_ranks(const SqliteFile& database) {
  std::vector<std::pair<int64_t, int>> ranks;
  if (database.first_column("MPI_RANKS", {"globalPid"}).empty()) return ranks;
  SqliteRows rows = database.rows("SELECT globalPid, rank FROM MPI_RANKS");
  while (rows.next())
    ranks.emplace_back(rows.number(0),
                       static_cast<int>(std::clamp<int64_t>(rows.number(1), -1, 1 << 20)));
  return ranks;
}

NcclPayload nsys_payload(const SqliteRows& row, const NvtxPayloads& payloads) {
  if (const auto json = row.text(4)) return NvtxPayloads::of_json(*json);
  return payloads.of_bytes(row.bytes(5));
}

}  // namespace interop

std::vector<NsysProcess> read_nsys_processes(const std::string& file) {
  const interop::SqliteFile database(file);
  const interop::NvtxPayloads payloads(database);
  std::map<int64_t, NsysProcess> processes;
  for (const auto& [process, rank] : interop::nsys_mpi_ranks(database))
    processes[process].rank = rank;
  if (database.has_table("NVTX_EVENTS")) {
    interop::SqliteRows rows = interop::nsys_ranges(database, "ncclComm%");
    while (rows.next())
      if (const int64_t process = rows.number(2) & interop::nsys_process_bits; process != 0)
        processes[process].made.push_back(interop::nsys_payload(rows, payloads));
  }
  std::vector<NsysProcess> all;
  for (auto& [id, process] : processes) all.push_back(std::move(process));
  return all;
}

}  // namespace pipewright
