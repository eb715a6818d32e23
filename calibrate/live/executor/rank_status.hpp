// What a rank of a live run is at, in words.
#pragma once

#include <string>
#include <vector>

#include "calibrate/live/messages/share.hpp"

namespace pipewright::live {

/// The ops of one rank, by op, that have started and whose end it knows of.
struct RankProgress {
  uint32_t rank = 0;
  std::vector<bool> started, ended;
};

/// The op that runs, or the one that waits and what for; "waits for messages" where no op of its
/// own is left and `has_seen_all` is false.
std::string status_of(const Program& program, const Share& share, const RankProgress& progress,
                      bool has_seen_all);

}  // namespace pipewright::live
