// Layers in nearly ascending order of level: of levels within a 64th of each other either may come
// first. That costs the same however many there are, where a heap moves and compares entries.
//
// A bucket holds the layers whose levels have the same exponent and the same first bits of the
// fraction, the last that came first. A bit for each bucket, and one for each word of bits, tells
// which hold any.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace pipewright::network {

class LevelQueue {
 public:
  bool empty() const { return (top_[0] | top_[1]) == 0; }

  /// A layer that is there already keeps its place.
  void push(uint32_t layer, double level) {
    if (layer >= next_.size()) next_.resize(layer + 1, absent);
    if (next_[layer] != absent) return;
    const size_t bucket = bucket_of(level), word = bucket / word_bits;
    next_[layer] = first_[bucket];
    first_[bucket] = layer;
    words_[word] |= bit_of(bucket);
    top_[word / word_bits] |= bit_of(word);
  }

  /// Takes one of the lowest; there must be any.
  uint32_t pop() {
    const size_t half = top_[0] == 0, word = word_bits * half + lowest_bit(top_[half]);
    const size_t bucket = word_bits * word + lowest_bit(words_[word]);
    const uint32_t layer = first_[bucket];
    first_[bucket] = next_[layer];
    next_[layer] = absent;
    if (first_[bucket] == last) words_[word] &= ~bit_of(bucket);
    if (words_[word] == 0) top_[half] &= ~bit_of(word);
    return layer;
  }

 private:
  static constexpr size_t word_bits = 64, fraction_bits = 6;
  static constexpr size_t exponents = 128;  // of levels, which are below 2^128; below 1 all are one
  static constexpr size_t buckets = exponents << fraction_bits, words = buckets / word_bits;
  static constexpr uint32_t last = UINT32_MAX, absent = UINT32_MAX - 1;

  static size_t bucket_of(double level) {
    if (!(level >= 1)) return 0;
    constexpr uint64_t one = std::bit_cast<uint64_t>(1.0);
    return (std::bit_cast<uint64_t>(level) - one) >> (52 - fraction_bits);
  }
  static uint64_t bit_of(size_t place) { return uint64_t{1} << (place % word_bits); }
  static size_t lowest_bit(uint64_t word) { return static_cast<size_t>(std::countr_zero(word)); }

  std::vector<uint32_t> first_ = std::vector<uint32_t>(buckets, last);  // by bucket
  std::vector<uint32_t> next_;  // by layer: the next of its bucket, `last` or `absent`
  std::array<uint64_t, words> words_{};
  std::array<uint64_t, words / word_bits> top_{};
};

}  // namespace pipewright::network
