// The tracks of a rank on which passes run, numbered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace pipewright::diagnose {

class PassLanes {
 public:
  /// The number of a track that has a pass: as many as the rank had before.
  uint8_t add(size_t rank, int64_t track) {
    const auto fresh = static_cast<uint8_t>(std::min<size_t>(of_rank_[rank], UINT8_MAX));
    const auto [found, added] = lanes_.try_emplace({rank, track}, fresh);
    if (added) ++of_rank_[rank];
    return found->second;
  }
  /// The number of a track; none where no pass runs on it.
  std::optional<uint8_t> find(size_t rank, int64_t track) const {
    const auto found = lanes_.find({rank, track});
    return found == lanes_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::pair<size_t, int64_t>, uint8_t> lanes_;
  std::map<size_t, size_t> of_rank_;  ///< how many
};

}  // namespace pipewright::diagnose
