// The lanes that every simulated rank of a program has, and where each stands.
#pragma once

#include <array>
#include <vector>

#include "program/lower.hpp"

namespace pipewright {

/// The lanes of a simulated rank.
class LaneSet {
 public:
  explicit LaneSet(const LoweringInput& input);
  const std::vector<Stream>& streams() const { return streams_; }
  LaneId lane(uint32_t program_rank, Stream stream) const {
    return program_rank * static_cast<uint32_t>(streams_.size()) +
           place_[static_cast<size_t>(stream)];
  }

 private:
  void add(std::initializer_list<Stream> streams);

  std::vector<Stream> streams_;
  std::array<uint32_t, stream_kinds> place_{};
};

}  // namespace pipewright
