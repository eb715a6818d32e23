// Kuhn's augmenting paths, with the least limit that pairs all found by halving. Members are bits,
// so that a row is looked through 64 members at a time.
#include "search/pairing.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace pipewright::search {

uint32_t Pairing::bottleneck(std::span<const uint32_t> grades, size_t members, uint32_t guess) {
  members_ = members;
  words_ = (members + 63) / 64;
  uint32_t least = least_for_each(grades), most = std::ranges::max(grades);
  // Away from the guess by steps that double, and by half of what is left where that is less.
  uint32_t limit = std::clamp(guess, least, std::max(least, most - 1));
  for (uint32_t step = 1; least < most; step *= 2) {
    const bool paired = can_be_paired(grades, limit);
    if (paired)
      most = limit;
    else
      least = limit + 1;
    step = std::min(step, (most - least + 1) / 2);
    limit = paired ? most - step : least + step - 1;
  }
  return most;
}

std::vector<int> Pairing::partners(std::span<const uint32_t> grades, size_t members) {
  can_be_paired(grades, bottleneck(grades, members, 0));
  std::vector<int> partner(members);
  for (size_t j = 0; j < members; ++j)
    partner[static_cast<size_t>(taken_[j])] = static_cast<int>(j);
  return partner;
}

/// Returns the least grade at which each member has somebody to be paired with.
uint32_t Pairing::least_for_each(std::span<const uint32_t> grades) {
  least_.assign(members_, std::numeric_limits<uint32_t>::max());
  uint32_t needed = 0;
  for (size_t i = 0; i < members_; ++i) {
    const std::span row = grades.subspan(i * members_, members_);
    needed = std::max(needed, std::ranges::min(row));
    for (size_t j = 0; j < members_; ++j) least_[j] = std::min(least_[j], row[j]);
  }
  return std::max(needed, std::ranges::max(least_));
}

/// Leaves the pairs in `taken_` where it can be done.
bool Pairing::can_be_paired(std::span<const uint32_t> grades, uint32_t most) {
  allowed_.assign(members_ * words_, 0);
  for (size_t i = 0; i < members_; ++i)
    for (size_t j = 0; j < members_; ++j)
      allowed_[i * words_ + j / 64] |= uint64_t{grades[i * members_ + j] <= most} << (j % 64);
  taken_.assign(members_, -1);
  free_.assign(words_, ~uint64_t{0});
  open_.resize(words_);
  for (size_t i = 0; i < members_; ++i) {
    std::ranges::fill(open_, ~uint64_t{0});
    if (!augment(i)) return false;
  }
  return true;
}

/// Pairs a member with the first that is free; with a taken one only where its partner finds
/// another.
bool Pairing::augment(size_t member) {
  if (take_free(member)) return true;
  for (size_t word = 0; word < words_; ++word) {
    while (const uint64_t next = allowed_[member * words_ + word] & open_[word]) {
      const auto bit = static_cast<size_t>(std::countr_zero(next));
      open_[word] &= ~(uint64_t{1} << bit);
      int& taken = taken_[64 * word + bit];
      if (!augment(static_cast<size_t>(taken))) continue;
      taken = static_cast<int>(member);
      return true;
    }
  }
  return false;
}

bool Pairing::take_free(size_t member) {
  for (size_t word = 0; word < words_; ++word) {
    const uint64_t next = allowed_[member * words_ + word] & free_[word];
    if (next == 0) continue;
    free_[word] &= ~(next & -next);
    taken_[64 * word + static_cast<size_t>(std::countr_zero(next))] = static_cast<int>(member);
    return true;
  }
  return false;
}

}  // namespace pipewright::search
