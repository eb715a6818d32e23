#include "interop/shell/braces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "interop/shell/cursor.hpp"
#include "interop/words.hpp"

namespace pipewright::shell {
namespace {

constexpr int deepest = 50;
/// Characters outside quotes of a word with braces.
constexpr size_t longest = 16'384;
/// Characters of a range such as {01..16..2}.
constexpr size_t longest_range = 64;
/// Parts and characters of words that the braces of one word may make.
constexpr size_t most_made = 1'000'000;

using Parts = std::vector<Part>;

bool is_plain(const Part& part) { return part.kind == Part::Kind::literal && !part.quoted; }

bool has_brace(const Part& part) {
  return is_plain(part) && part.text.find('{') != std::string::npos;
}

size_t length_of(const Parts& parts) {
  size_t length = 0;
  for (const Part& part : parts) length += 1 + part.text.size();
  return length;
}

void require_short(const Word& word) {
  size_t plain = 0;
  for (const Part& part : word.parts)
    if (is_plain(part)) plain += part.text.size();
  if (plain > longest)
    Cursor::fail(word.place, fmt::format("a word with braces has at most {} characters", longest));
}

/// Every character that braces may be made of as a part of its own.
Parts taken_apart(const Word& word) {
  require_short(word);
  Parts parts;
  for (const Part& part : word.parts) {
    if (!is_plain(part)) {
      parts.push_back(part);
      continue;
    }
    for (size_t i = 0; i < part.text.size(); ++i) {
      Part one = part;
      one.text = part.text[i];
      one.place.column += static_cast<int>(i);
      parts.push_back(std::move(one));
    }
  }
  return parts;
}

Word put_together(const Parts& parts, const Place& place) {
  Word word{{}, place};
  for (const Part& part : parts) {
    if (is_plain(part) && !word.parts.empty() && is_plain(word.parts.back()))
      word.parts.back().text += part.text;
    else
      word.parts.push_back(part);
  }
  return word;
}

/// The ends and the step of {x..y..step}.
struct Range {
  int64_t from = 0, to = 0, step = 1;
  size_t width = 0;  ///< digits, where an end begins with a zero
  bool letters = false;
};

std::optional<int64_t> end_of_range(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::optional<int64_t> number = interop::number_of<int64_t>(text);
  constexpr int64_t most = 1'000'000'000'000;
  return number && *number >= -most && *number <= most ? number : std::nullopt;
}

bool is_padded(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0';
}

bool is_letter(std::string_view text) {
  return text.size() == 1 && in_name(text[0]) && !is_digit(text[0]) && text[0] != '_';
}

std::optional<Range> range_of(std::string_view text) {
  const size_t first = text.find("..");
  if (first == std::string_view::npos) return std::nullopt;
  const size_t second = std::min(text.find("..", first + 2), text.size());
  const std::string_view from = text.substr(0, first);
  const std::string_view to = text.substr(first + 2, second - first - 2);
  Range range;
  if (second < text.size()) {
    const std::optional<int64_t> step = end_of_range(text.substr(second + 2));
    if (!step) return std::nullopt;
    range.step = std::max<int64_t>(1, std::abs(*step));
  }
  if (is_letter(from) && is_letter(to)) {
    range.letters = true;
    range.from = from[0];
    range.to = to[0];
    return range;
  }
  const std::optional<int64_t> a = end_of_range(from), b = end_of_range(to);
  if (!a || !b) return std::nullopt;
  range.from = *a;
  range.to = *b;
  if (is_padded(from) || is_padded(to)) range.width = std::max(from.size(), to.size());
  return range;
}

std::string written_as(int64_t value, const Range& range) {
  if (range.letters) return std::string(1, static_cast<char>(value));
  std::string digits = std::to_string(std::abs(value));
  const size_t sign = value < 0 ? 1 : 0;
  if (digits.size() + sign < range.width) digits.insert(0, range.width - sign - digits.size(), '0');
  return (sign ? "-" : "") + digits;
}

class Braces {
 public:
  explicit Braces(const Word& word) : place_(word.place), parts_(taken_apart(word)) { pair(); }

  std::vector<Word> words() {
    std::vector<Word> all;
    for (const Parts& parts : expand(0, parts_.size(), 0))
      all.push_back(put_together(parts, place_));
    return all;
  }

 private:
  struct Pair {
    size_t close = 0;            ///< where it ends; 0 where nothing closes it
    std::vector<size_t> commas;  ///< between its alternatives
  };

  bool is(size_t at, char c) const { return is_plain(parts_[at]) && parts_[at].text[0] == c; }

  void pair() {
    pairs_.resize(parts_.size());
    std::vector<size_t> open;
    for (size_t at = 0; at < parts_.size(); ++at) {
      if (is(at, '{')) open.push_back(at);
      if (is(at, ',') && !open.empty()) pairs_[open.back()].commas.push_back(at);
      if (!is(at, '}') || open.empty()) continue;
      pairs_[open.back()].close = at;
      open.pop_back();
    }
  }

  std::optional<Range> range(size_t open) const {
    if (pairs_[open].close - open > longest_range) return std::nullopt;
    std::string text;
    for (size_t at = open + 1; at < pairs_[open].close; ++at) {
      if (!is_plain(parts_[at])) return std::nullopt;
      text += parts_[at].text;
    }
    return range_of(text);
  }

  /// The alternatives of the braces that begin at `open`; none where they are but characters.
  std::vector<Parts> alternatives(size_t open, int depth) {
    const Pair& pair = pairs_[open];
    if (pair.close == 0) return {};
    if (pair.commas.empty()) return ranged(open);
    std::vector<Parts> all;
    size_t from = open + 1;
    for (size_t i = 0; i <= pair.commas.size(); ++i) {
      const size_t to = i < pair.commas.size() ? pair.commas[i] : pair.close;
      std::vector<Parts> some = expand(from, to, depth + 1);
      std::move(some.begin(), some.end(), std::back_inserter(all));
      from = to + 1;
    }
    return all;
  }

  std::vector<Parts> ranged(size_t open) {
    const std::optional<Range> range = this->range(open);
    if (!range) return {};
    const int64_t count = std::abs(range->to - range->from) / range->step + 1;
    check(static_cast<size_t>(count));
    std::vector<Parts> all;
    for (int64_t i = 0; i < count; ++i) {
      Part one = parts_[open];
      const int64_t by = i * range->step;
      one.text = written_as(range->to < range->from ? range->from - by : range->from + by, *range);
      all.push_back({std::move(one)});
    }
    return all;
  }

  /// What the parts from `from` to `to` are written for.
  std::vector<Parts> expand(size_t from, size_t to, int depth) {
    if (depth > deepest) Cursor::fail(place_, "this is nested too deeply");
    std::vector<Parts> all(1);
    for (size_t at = from; at < to; ++at) {
      const std::vector<Parts> some = is(at, '{') ? alternatives(at, depth) : std::vector<Parts>();
      if (some.empty()) {
        count(all.size() * (1 + parts_[at].text.size()));
        for (Parts& parts : all) parts.push_back(parts_[at]);
        continue;
      }
      all = crossed(all, some);
      at = pairs_[at].close;
    }
    return all;
  }

  std::vector<Parts> crossed(const std::vector<Parts>& all, const std::vector<Parts>& some) {
    check(all.size() * some.size());
    std::vector<Parts> result;
    for (const Parts& before : all)
      for (const Parts& after : some) {
        count(length_of(before) + length_of(after));
        result.push_back(before);
        result.back().insert(result.back().end(), after.begin(), after.end());
      }
    return result;
  }

  void count(size_t made) {
    size_ += made;
    check(size_);
  }

  void check(size_t made) const {
    if (made > most_made) Cursor::fail(place_, "these braces stand for too many words");
  }

  Place place_;
  Parts parts_;
  std::vector<Pair> pairs_;
  size_t size_ = 0;  ///< parts and characters that were made
};

}  // namespace

bool has_braces(const Word& word) {
  return std::any_of(word.parts.begin(), word.parts.end(), has_brace);
}

std::vector<Word> expand_braces(const Word& word) { return Braces(word).words(); }

}  // namespace pipewright::shell
