// Adds op types to a program.
#pragma once

#include "program/program.hpp"

namespace pipewright {

class TypeAdder {
 public:
  explicit TypeAdder(Program& program) : program_(program) {}

  /// Returns the number of the new type.
  uint32_t add(OpType type, const std::vector<Work>& works = {});
  /// Adds a copy between a device and its host.
  uint32_t add_copy(Bytes bytes, bool to_host, int stage, schedule::Pass pass);
  uint32_t add_collective(const CollectiveWork& work, Traffic traffic, int stage);
  OpType& type(uint32_t number) { return program_.types[number]; }

 private:
  Program& program_;
};

}  // namespace pipewright
