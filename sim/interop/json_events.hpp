// The objects of one long list inside a JSON document, one after another, without the document in
// memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/packed_input.hpp"

namespace pipewright {

/// The longest time, in microseconds, that an event may say: sums of a few still fit in a Time.
constexpr double longest_us = 2e12;

/// Goes through a document that is a list of objects, or an object of which a key has such a list.
/// Only brackets and strings are looked at: what is inside an object is the reader's business.
class JsonEvents {
 public:
  JsonEvents(PackedInput input, std::string_view key);
  JsonEvents(const std::string& file, std::string_view key) : JsonEvents(PackedInput(file), key) {}

  /// Goes on to the next object of the list and returns whether there is one. Throws InputError
  /// where the document ends too early, is none, or has an object of more than 16 MiB.
  bool next();
  /// The text of the object; it is there until next() is called again.
  std::string_view object() const { return {buffer_.data() + from_, to_ - from_}; }
  /// The line on which the object begins, counted from 1; after the last one that of the end.
  int line() const;
  /// After the last object: the document without the list.
  const std::string& rest() const { return rest_; }

 private:
  int line_at(size_t at) const;
  int peek();
  bool fill();
  void find_list(std::string_view key);
  std::string take_token();
  bool list_follows();
  bool find(uint8_t mark);
  void skip_object();
  bool skip_string();
  void read_rest();
  [[noreturn]] void fail(const std::string& message) const;

  PackedInput input_;
  std::string buffer_, rest_;
  size_t at_ = 0, filled_ = 0, from_ = 0, to_ = 0, keep_ = 0;
  // Lines are counted when somebody asks: `line_` is that of the byte at `counted_`.
  mutable size_t counted_ = 0;
  mutable int line_ = 1;
  bool bare_ = false, done_ = false;
};

}  // namespace pipewright
