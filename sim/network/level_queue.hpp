// Layers in nearly ascending order of level: of levels within a 1024th of each other either may
// come first. That costs the same however many there are, where a heap moves and compares entries.
//
// A bucket holds the layers whose levels have the same exponent and the same first bits of the
// fraction, the last that came first. A bit for each bucket, one for each word of bits and one for
// each exponent tell which hold any. Exponents get their buckets when they are first met: the
// levels of a network have few of them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace pipewright::network {

class LevelQueue {
 public:
  bool empty() const { return (any_[0] | any_[1]) == 0; }

  /// A layer that is there already keeps its place.
  void push(uint32_t layer, double level) {
    if (layer >= next_.size()) next_.resize(layer + 1, absent);
    if (next_[layer] != absent) return;
    const size_t bucket = bucket_of(level), exponent = bucket >> fraction_bits;
    if (!octaves_[exponent]) octaves_[exponent] = std::make_unique<Octave>();
    octaves_[exponent]->push(layer, bucket % Octave::buckets, next_[layer]);
    any_[exponent / word_bits] |= bit_of(exponent);
  }

  /// Takes one of the lowest; there must be any.
  uint32_t pop() {
    const size_t half = any_[0] == 0, exponent = word_bits * half + lowest_bit(any_[half]);
    Octave& octave = *octaves_[exponent];
    const uint32_t layer = octave.pop(next_);
    if (octave.any == 0) any_[half] &= ~bit_of(exponent);
    return layer;
  }

 private:
  static constexpr size_t word_bits = 64, fraction_bits = 10;
  static constexpr size_t exponents = 128;  // of levels, which are below 2^128; below 1 all are one
  static constexpr uint32_t last = UINT32_MAX, absent = UINT32_MAX - 1;

  static size_t bucket_of(double level) {
    if (!(level >= 1)) return 0;
    constexpr uint64_t one = std::bit_cast<uint64_t>(1.0);
    return (std::bit_cast<uint64_t>(level) - one) >> (52 - fraction_bits);
  }
  static uint64_t bit_of(size_t place) { return uint64_t{1} << (place % word_bits); }
  static size_t lowest_bit(uint64_t word) { return static_cast<size_t>(std::countr_zero(word)); }

  /// The buckets of one exponent.
  struct Octave {
    static constexpr size_t buckets = size_t{1} << fraction_bits;

    Octave() { first.fill(last); }

    /// Puts a layer into a bucket; `next` is that of the layer.
    void push(uint32_t layer, size_t bucket, uint32_t& next) {
      next = first[bucket];
      first[bucket] = layer;
      words[bucket / word_bits] |= bit_of(bucket);
      any |= bit_of(bucket / word_bits);
    }

    /// Takes one of the lowest; `next` is by layer.
    uint32_t pop(std::vector<uint32_t>& next) {
      const size_t word = lowest_bit(any), bucket = word_bits * word + lowest_bit(words[word]);
      const uint32_t layer = first[bucket];
      first[bucket] = next[layer];
      next[layer] = absent;
      if (first[bucket] == last) words[word] &= ~bit_of(bucket);
      if (words[word] == 0) any &= ~bit_of(word);
      return layer;
    }

    uint64_t any = 0;  // by word
    std::array<uint64_t, buckets / word_bits> words{};
    std::array<uint32_t, buckets> first;
  };

  std::array<std::unique_ptr<Octave>, exponents> octaves_;
  std::vector<uint32_t> next_;  // by layer: the next of its bucket, `last` or `absent`
  std::array<uint64_t, exponents / word_bits> any_{};  // by exponent
};

}  // namespace pipewright::network
