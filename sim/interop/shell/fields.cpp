#include "interop/shell/fields.hpp"

#include <algorithm>
#include <utility>

#include "interop/shell/cursor.hpp"

namespace pipewright::shell {

void check_size(size_t characters, size_t words, const Place& place) {
  constexpr size_t most_characters = 4'000'000, most_words = 200'000;
  if (characters > most_characters || words > most_words)
    Cursor::fail(place, "this grows beyond what a command line can hold");
}

/// "${LIST[@]}" of an empty list is no word.
bool Fields::vanishes() const {
  return has_empty_list_ && std::all_of(current_.begin(), current_.end(), [](const Piece& piece) {
           return piece.text.empty() && !piece.unknown;
         });
}

void Fields::finish() {
  if (!started_) return;
  if (!vanishes()) {
    done_.push_back(std::move(current_));
    check_size(size_, done_.size(), place_of(done_.back(), {}));
  }
  current_.clear();
  started_ = false;
}

void Fields::add(const Piece& piece) {
  size_ += piece.text.size() + 1;
  check_size(size_, done_.size(), piece.place);
  current_.push_back(piece);
  started_ = true;
}

void Fields::split(const Piece& piece) {
  size_ += piece.text.size() + 1;
  check_size(size_, done_.size(), piece.place);
  size_t at = 0;
  while (at < piece.text.size()) {
    const size_t end = std::min(piece.text.find_first_of(" \t\n\r", at), piece.text.size());
    if (end > at) {
      current_.push_back({piece.text.substr(at, end - at), place_in(piece, at), false, nullptr});
      started_ = true;
    }
    if (end < piece.text.size()) finish();
    at = end + 1;
  }
}

void Fields::add_written(const Piece& piece) { add(piece); }

void Fields::add_value(Text value, bool quoted) {
  for (Piece& piece : value) {
    piece.quoted = quoted;
    if (splits_ && !quoted && !piece.unknown)
      split(piece);
    else
      add(piece);
  }
  if (quoted) started_ = true;
}

void Fields::add_list(std::vector<Text> elements, bool quoted) {
  has_empty_list_ = has_empty_list_ || elements.empty();
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) finish();
    add_value(std::move(elements[i]), quoted);
  }
}

std::vector<Text> Fields::take() {
  finish();
  return std::move(done_);
}

}  // namespace pipewright::shell
