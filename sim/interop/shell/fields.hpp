// The words that come of one word of a script.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interop/shell/text.hpp"

namespace pipewright::shell {

/// Throws InputError at `place` for more than a command line can hold.
void check_size(size_t characters, size_t words, const Place& place);

/// Where Bash splits unless IFS says otherwise.
inline constexpr std::string_view usual_separators = " \t\n\r";

class Environment;
/// Returns IFS, or what holds where nobody sets it.
std::string separators_of(Environment& environment);

class Fields {
 public:
  /// `splits`: values that are not quoted are split at `separators`. Blanks among them count once
  /// however many there are; others each end a word.
  explicit Fields(bool splits, std::string separators = std::string(usual_separators))
      : splits_(splits), separators_(std::move(separators)) {}

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
  void separate(char separator);
  bool vanishes() const;

  std::vector<Text> done_;
  Text current_;
  bool splits_, started_ = false, has_empty_list_ = false;
  bool after_blank_ = false;  ///< a blank has just ended a word
  std::string separators_;
  size_t size_ = 0;
};

}  // namespace pipewright::shell
