// What NCCL's NVTX ranges say of their calls, in SQLite exports of Nsight Systems.
//
// NCCL's ranges carry a structure (src/include/nvtx_payload_schemas.h): "NCCL communicator ID" and
// "Message size [bytes]" of a collective, "No. of ranks" and "Rank" of a communicator that is made.
// An export has it as a JSON object in jsonText or, with --include-blobs=true, as binaryData: four
// 64-bit numbers (domain, schema, size and begin of the structure) and the structure itself, whose
// layout is in NVTX_PAYLOAD_SCHEMA_ENTRIES. NVIDIA documents the tables but not the four numbers;
// public readers of exports agree on them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interop/sqlite_file.hpp"

namespace pipewright::interop {

struct NcclPayload {
  uint64_t communicator = 0;  ///< the same on all its ranks; 0: it does not say
  int64_t ranks = -1;         ///< of the communicator; -1: it does not say
  int64_t place = -1;         ///< among them
  int64_t bytes = -1;
};

class NvtxPayloads {
 public:
  /// Reads the layouts that a database describes.
  explicit NvtxPayloads(const SqliteFile& database);

  static NcclPayload of_json(std::string_view json);
  NcclPayload of_bytes(std::string_view bytes) const;

 private:
  struct Field {
    int64_t NcclPayload::*number = nullptr;  ///< null: the communicator
    size_t begin = 0, size = 0;
  };
  std::map<std::pair<uint64_t, uint64_t>, std::vector<Field>> layouts_;  ///< by domain and schema
};

}  // namespace pipewright::interop
