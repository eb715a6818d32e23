// The words that come of one word of a script.
#pragma once

#include <vector>

#include "interop/shell/text.hpp"

namespace pipewright::shell {

/// Throws InputError at `place` for more than a command line can hold.
void check_size(size_t characters, size_t words, const Place& place);

class Fields {
 public:
  /// `splits`: values that are not quoted are split at blanks.
  explicit Fields(bool splits) : splits_(splits) {}

  /// Adds what is written in the script; it is one word whatever it holds.
  void add_written(const Piece& piece);
  /// Adds a value.
  void add_value(Text value, bool quoted);
  /// Adds the elements of a list, each a word of its own.
  void add_list(std::vector<Text> elements, bool quoted);

  /// Returns the words.
  std::vector<Text> take();

 private:
  void add(const Piece& piece);
  void split(const Piece& piece);
  void finish();
  bool vanishes() const;

  std::vector<Text> done_;
  Text current_;
  bool splits_, started_ = false, has_empty_list_ = false;
  size_t size_ = 0;
};

}  // namespace pipewright::shell
