// What every op of a program comes after.
#pragma once

#include <span>
#include <vector>

#include "program/program.hpp"

namespace pipewright {

/// The edges of a program by where they end: dependencies and the order of lanes.
class Precedence {
 public:
  explicit Precedence(const Program& program);

  std::span<const OpId> before(OpId op) const {
    return {ops_.data() + offset_[op], ops_.data() + offset_[op + 1]};
  }

 private:
  std::vector<uint32_t> offset_;
  std::vector<OpId> ops_;
};

}  // namespace pipewright
