// Pairs the members of two groups so that the worst pair is as good as it can be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pipewright::search {

/// A bottleneck matching of two groups of as many members. `grades` has a row for each member of
/// the first, by member of the second; less is better. It keeps its tables from call to call.
class Pairing {
 public:
  /// Returns the least largest grade of all ways to pair them, the sooner the nearer `guess` is.
  uint32_t bottleneck(std::span<const uint32_t> grades, size_t members, uint32_t guess);

  /// Returns the partner of each of the first group, none of them above the bottleneck. Where any
  /// would do, that is the one in the same place.
  std::vector<int> partners(std::span<const uint32_t> grades, size_t members);

 private:
  bool can_be_paired(std::span<const uint32_t> grades, uint32_t most);
  uint32_t least_for_each(std::span<const uint32_t> grades);
  bool augment(size_t member);
  bool take_free(size_t member);

  size_t members_ = 0, words_ = 0;
  std::vector<uint64_t> allowed_;  // by member of the first group, those of the second
  std::vector<uint64_t> open_;     // of the second group, those that this search has not tried
  std::vector<uint64_t> free_;     // of the second group, those without a partner
  std::vector<int> taken_;         // by member of the second group, its partner
  std::vector<uint32_t> least_;    // by member of the second group
};

}  // namespace pipewright::search
