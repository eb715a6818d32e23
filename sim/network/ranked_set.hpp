// A set of numbers from 0 that gives the least: a bit for each number, and over them a bit for each
// word that has one. What is taken in ascending order is found in a few steps.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace pipewright::network {

class RankedSet {
 public:
  static constexpr uint32_t nothing = UINT32_MAX;

  /// An empty set of numbers below `limit`.
  explicit RankedSet(uint32_t limit = 0) : words_(limit / 64 + 1), summary_(limit / 4096 + 1) {}

  void insert(uint32_t number) {
    words_[number / 64] |= uint64_t{1} << (number & 63);
    summary_[number / 4096] |= uint64_t{1} << (number / 64 & 63);
    least_ = std::min(least_, number / 4096);
  }

  void erase(uint32_t number) {
    uint64_t& word = words_[number / 64];
    word &= ~(uint64_t{1} << (number & 63));
    if (word == 0) summary_[number / 4096] &= ~(uint64_t{1} << (number / 64 & 63));
  }

  /// The least; `nothing` where there is none.
  uint32_t first() {
    for (; least_ < summary_.size(); ++least_)
      if (const uint64_t words = summary_[least_]; words != 0) {
        const uint32_t word = 64 * least_ + static_cast<uint32_t>(std::countr_zero(words));
        return 64 * word + static_cast<uint32_t>(std::countr_zero(words_[word]));
      }
    return nothing;
  }

 private:
  std::vector<uint64_t> words_, summary_;
  uint32_t least_ = 0;  // no word of the summary before it has a bit
};

}  // namespace pipewright::network
