#include "interop/nvtx_payloads.hpp"

#include <gtest/gtest.h>

#include "nsys_trace.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

using interop::NcclPayload;
using interop::NvtxPayloads;

constexpr const char* layouts =
    "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, "
    "flags INTEGER, type INTEGER, name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset "
    "INTEGER);"
    "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"
    "(1, 100, 0, NULL, 18, 'NCCL communicator ID', NULL, NULL, NULL),"
    "(1, 100, 1, NULL, 22, 'Message size [bytes]', NULL, NULL, 8),"
    "(1, 200, 0, NULL, 18, 'NCCL communicator ID', NULL, NULL, NULL),"
    "(1, 200, 1, NULL, 5, 'No. of ranks', NULL, NULL, 8),"
    "(1, 200, 2, NULL, 5, 'Rank', NULL, NULL, 12),"
    "(1, 300, 0, NULL, 20, 'Rank', NULL, NULL, 0);";

std::string number(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
  return text;
}

std::string blob(uint64_t schema, const std::string& structure) {
  return number(1, 8) + number(schema, 8) + number(structure.size(), 8) + number(32, 8) + structure;
}

NvtxPayloads payloads() {
  const TemporaryFolder folder;
  const std::string file = NsysTrace().with(layouts).write(folder.path() + "/x.sqlite");
  return NvtxPayloads(interop::SqliteFile(file));
}

TEST(NvtxPayloads, structures_are_read_by_their_layout) {
  const NvtxPayloads layout = payloads();
  const NcclPayload call =
      layout.of_bytes(blob(100, number(0xabcdef0123456789, 8) + number(4096, 8)));
  EXPECT_EQ(call.communicator, 0xabcdef0123456789);
  EXPECT_EQ(call.bytes, 4096);
  EXPECT_EQ(call.ranks, -1);
  const NcclPayload made = layout.of_bytes(blob(200, number(7, 8) + number(8, 4) + number(3, 4)));
  EXPECT_EQ(made.ranks, 8);
  EXPECT_EQ(made.place, 3);
}

TEST(NvtxPayloads, what_is_cut_off_or_unknown_says_nothing) {
  const NvtxPayloads layout = payloads();
  const std::string whole = blob(100, number(5, 8) + number(6, 8));
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(layout.of_bytes(whole.substr(0, size)).bytes, -1) << size;
  EXPECT_EQ(layout.of_bytes(blob(9, number(5, 8))).communicator, 0u);
  EXPECT_EQ(layout.of_bytes(blob(300, number(5, 8))).place, -1);
}

TEST(NvtxPayloads, json_says_the_same) {
  const NcclPayload call = NvtxPayloads::of_json(
      R"({"NCCL communicator ID": 12370169555311111083, "Message size [bytes]": 64, "Peer rank": 3})");
  EXPECT_EQ(call.communicator, 12370169555311111083U);
  EXPECT_EQ(call.bytes, 64);
  for (const char* other : {"", "{", "[]", R"({"Rank": "x"})", R"({"Rank": 1.5})"})
    EXPECT_EQ(NvtxPayloads::of_json(other).place, -1) << other;
}

}  // namespace
}  // namespace pipewright::test
