#include "program/type_adder.hpp"

namespace pipewright {

uint32_t TypeAdder::add(OpType type, const std::vector<Work>& works) {
  type.works.first = static_cast<uint32_t>(program_.works.size());
  type.works.count = static_cast<uint32_t>(works.size());
  program_.works.insert(program_.works.end(), works.begin(), works.end());
  program_.types.push_back(type);
  return static_cast<uint32_t>(program_.types.size() - 1);
}

uint32_t TypeAdder::add_copy(Bytes bytes, bool to_host, int stage, schedule::Pass pass) {
  return add({.kind = OpKind::copy,
              .pass = pass,
              .traffic = Traffic::host,
              .first = false,
              .last = false,
              .to_host = to_host,
              .stage = stage,
              .bytes = bytes});
}

uint32_t TypeAdder::add_collective(const CollectiveWork& work, Traffic traffic, int stage) {
  return add({.kind = OpKind::collective,
              .traffic = traffic,
              .collective = work.kind,
              .first = false,
              .last = false,
              .tells_host = work.tells_host,
              .stage = stage,
              .bytes = work.bytes});
}

}  // namespace pipewright
