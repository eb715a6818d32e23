#include "calibrate/live/same_program.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace pipewright::live {
namespace {

/// FNV-1a, 64 bits.
class Hash {
 public:
  void add(const void* data, size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3u;
  }
  void add(int64_t number) { add(&number, sizeof number); }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325u;
};

std::vector<std::byte> pack(const Identity& identity) {
  const uint64_t hashes[] = {identity.program_file, identity.program, identity.options};
  std::vector<std::byte> bytes = transport::bytes_of(hashes, sizeof hashes);
  const std::vector<std::byte> text =
      transport::bytes_of(identity.error.data(), identity.error.size());
  bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

Identity unpack(const std::vector<std::byte>& bytes) {
  Identity identity;
  uint64_t hashes[3] = {};
  std::memcpy(hashes, bytes.data(), sizeof hashes);
  identity.program_file = hashes[0];
  identity.program = hashes[1];
  identity.options = hashes[2];
  identity.error.assign(reinterpret_cast<const char*>(bytes.data()) + sizeof hashes,
                        bytes.size() - sizeof hashes);
  return identity;
}

std::string difference(const Identity& a, const Identity& b) {
  if (a.program_file != b.program_file)
    return "runs another build of pipewright-live than rank 0: copy one to all hosts";
  if (a.error != b.error) {
    return a.error.empty() ? fmt::format("is ready, while rank 0 is not: {}", b.error)
                           : fmt::format("is not ready, unlike rank 0: {}", a.error);
  }
  if (a.program != b.program)
    return "runs another experiment than rank 0: the same files and options on all hosts";
  if (a.options != b.options) return "has another --seed or --learning-rate than rank 0";
  return "";
}

}  // namespace

uint64_t hash_of_executable() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  Hash hash;
  hash.add(bytes.data(), bytes.size());
  return hash.value();
}

uint64_t hash_of(const Program& program, std::span<const Time> durations) {
  Hash hash;
  for (const Op& op : program.ops) {
    const OpType& type = program.types[op.type];
    for (const int64_t number :
         {int64_t{op.rank}, int64_t{op.peer}, int64_t{op.lane}, int64_t{op.micro_batch},
          int64_t{op.slice}, static_cast<int64_t>(type.kind), static_cast<int64_t>(type.pass),
          int64_t{type.stage}, type.bytes.count})
      hash.add(number);
  }
  for (const Edge edge : program.edges) hash.add(edge.to_and_kind);
  for (const OpId op : program.lane_ops) hash.add(op);
  for (const Time duration : durations) hash.add(duration.ps);
  return hash.value();
}

uint64_t hash_of(uint64_t seed, double learning_rate) {
  Hash hash;
  hash.add(&seed, sizeof seed);
  hash.add(&learning_rate, sizeof learning_rate);
  return hash.value();
}

void agree(transport::Session& session, const Identity& own) {
  const auto all = session.exchange(pack(own));
  const Identity first = unpack(all.front());
  std::string line;
  for (size_t rank = 1; rank < all.size(); ++rank) {
    const std::string differs = difference(unpack(all[rank]), first);
    if (differs.empty()) continue;
    if (!line.empty()) {
      line += "; other ranks differ too";
      break;
    }
    line = fmt::format("rank {} ({}) {}", rank, session.hosts()[rank], differs);
  }
  if (!line.empty()) throw Disagreement(line);
}

}  // namespace pipewright::live
