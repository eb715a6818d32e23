#include "interop/shell/text.hpp"

#include <algorithm>

namespace pipewright::shell {

Place place_in(const Piece& piece, size_t offset) {
  Place place = piece.place;
  for (size_t i = 0; i < offset && i < piece.text.size(); ++i) {
    ++place.column;
    if (piece.text[i] == '\n') ++place.line, place.column = 1;
  }
  return place;
}

std::optional<std::string> known(const Text& text) {
  std::string all;
  for (const Piece& piece : text) {
    if (piece.unknown && !piece.unknown->unset) return std::nullopt;
    all += piece.text;
  }
  return all;
}

std::string written(const Text& text) {
  std::string all;
  for (const Piece& piece : text) all += piece.unknown ? piece.unknown->written : piece.text;
  return all;
}

std::shared_ptr<const Unknown> unknown_in(const Text& text) {
  const auto found =
      std::find_if(text.begin(), text.end(), [](const Piece& piece) { return piece.unknown; });
  return found == text.end() ? nullptr : found->unknown;
}

size_t characters_in(const Text& text) {
  size_t count = 0;
  for (const Piece& piece : text)
    count += piece.unknown ? std::max<size_t>(1, piece.unknown->written.size()) : piece.text.size();
  return count;
}

bool may_be_several(const Text& word) {
  return std::any_of(word.begin(), word.end(), [](const Piece& piece) {
    return piece.unknown && !piece.unknown->unset && !piece.quoted;
  });
}

Text joined_by_blanks(const std::vector<Text>& words, size_t from, const Place& place) {
  Text text;
  for (size_t i = from; i < words.size(); ++i) {
    if (i > from) text.push_back({" ", place, false, nullptr});
    text.insert(text.end(), words[i].begin(), words[i].end());
  }
  return text;
}

Place place_of(const Text& text, const Place& otherwise) {
  return text.empty() ? otherwise : text.front().place;
}

Text text_of(std::string_view text, const Place& place, bool quoted) {
  return {{std::string(text), place, quoted, nullptr}};
}

Text text_of(Unknown unknown, const Place& place) {
  return {{"", place, false, std::make_shared<const Unknown>(std::move(unknown))}};
}

}  // namespace pipewright::shell
