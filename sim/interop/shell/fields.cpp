#include "interop/shell/fields.hpp"

#include <algorithm>
#include <utility>

#include "interop/shell/cursor.hpp"
#include "interop/shell/environment.hpp"

namespace pipewright::shell {

void check_size(size_t characters, size_t words, const Place& place) {
  constexpr size_t most_characters = 4'000'000, most_words = 200'000;
  if (characters > most_characters || words > most_words)
    Cursor::fail(place, "this grows beyond what a command line can hold");
}

std::string separators_of(Environment& environment) {
  const Variable* ifs = environment.find("IFS");
  if (!ifs || ifs->elements.empty()) return std::string(usual_separators);
  return known(ifs->elements.front().second).value_or(std::string(usual_separators));
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
    const size_t end = std::min(piece.text.find_first_of(separators_, at), piece.text.size());
    if (end > at) {
      current_.push_back({piece.text.substr(at, end - at), place_in(piece, at), false, nullptr});
      started_ = true;
      after_blank_ = false;
    }
    if (end < piece.text.size()) separate(piece.text[end]);
    at = end + 1;
  }
}

void Fields::separate(char separator) {
  const bool is_blank = usual_separators.find(separator) != std::string_view::npos;
  // A comma with blanks around it is one separator.
  if (!is_blank && !after_blank_) started_ = true;
  const bool ends = started_;
  finish();
  after_blank_ = is_blank && (ends || after_blank_);
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
