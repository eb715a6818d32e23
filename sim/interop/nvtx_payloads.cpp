#include "interop/nvtx_payloads.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/json.hpp"

namespace pipewright::interop {
namespace {

constexpr std::string_view communicator_field = "NCCL communicator ID";
struct NumberField {
  std::string_view name;
  int64_t NcclPayload::*number;
};
constexpr std::array<NumberField, 3> number_fields = {
    {{"No. of ranks", &NcclPayload::ranks},
     {"Rank", &NcclPayload::place},
     {"Message size [bytes]", &NcclPayload::bytes}}};

/// By type of an entry (nvToolsExtPayload.h: 1 is char, 5 int, 7 long, 11 to 18 int8 to uint64, 22
/// size) its bytes, on 64-bit Linux; 0: it is no integer.
constexpr std::array<size_t, 23> bytes_of_entry = {0, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 1,
                                                   1, 2, 2, 4, 4, 8, 8, 0, 0, 0, 8};

constexpr size_t head_numbers = 4;

uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

NvtxPayloads::NvtxPayloads(const SqliteFile& database) {
  const char* table = "NVTX_PAYLOAD_SCHEMA_ENTRIES";
  for (const char* column : {"domainId", "schemaId", "idx", "type", "name", "offset"})
    if (database.first_column(table, {column}).empty()) return;
  SqliteRows rows =
      database.rows(fmt::format("SELECT domainId, schemaId, type, name, offset FROM {}", table));
  while (rows.next()) {
    const int64_t type = rows.number(2);
    const std::string name = rows.text(3).value_or("");
    if (type < 0 || type >= static_cast<int64_t>(bytes_of_entry.size())) continue;
    // The first entry begins the structure, and may leave its place out.
    Field field{.begin = static_cast<size_t>(rows.number(4)),
                .size = bytes_of_entry[static_cast<size_t>(type)]};
    bool wanted = name == communicator_field;
    for (const NumberField& one : number_fields)
      if (name == one.name) field.number = one.number, wanted = true;
    if (wanted && field.size > 0)
      layouts_[{static_cast<uint64_t>(rows.number(0)), static_cast<uint64_t>(rows.number(1))}]
          .push_back(field);
  }
}

NcclPayload NvtxPayloads::of_json(std::string_view json) {
  NcclPayload payload;
  const nlohmann::json object = parse_json(json);
  if (!object.is_object()) return payload;
  if (const auto found = object.find(std::string(communicator_field));
      found != object.end() && found->is_number_integer())
    payload.communicator = found->get<uint64_t>();
  for (const NumberField& one : number_fields)
    if (const auto found = object.find(std::string(one.name));
        found != object.end() && found->is_number_integer())
      payload.*one.number = found->get<int64_t>();
  return payload;
}

NcclPayload NvtxPayloads::of_bytes(std::string_view bytes) const {
  NcclPayload payload;
  std::array<uint64_t, head_numbers> head{};
  if (bytes.size() < sizeof head) return payload;
  for (size_t i = 0; i < head_numbers; ++i) head[i] = little_endian(bytes.substr(8 * i, 8));
  const auto [domain, schema, size, begin] = head;
  const auto layout = layouts_.find({domain, schema});
  if (layout == layouts_.end() || begin > bytes.size()) return payload;
  const std::string_view structure = bytes.substr(begin, size);
  for (const Field& field : layout->second) {
    if (field.begin > structure.size() || structure.size() - field.begin < field.size) continue;
    const uint64_t value = little_endian(structure.substr(field.begin, field.size));
    if (field.number != nullptr)
      payload.*field.number = static_cast<int64_t>(value);
    else
      payload.communicator = value;
  }
  return payload;
}

}  // namespace pipewright::interop
