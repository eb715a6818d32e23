#include "report/text/drawn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace pipewright {
namespace {

constexpr int plain = -1;

/// A kind of op or of time: its letter, its colour of the 256 that terminals have, and its block in
/// a timeline. Blues and greens compute, warm colours wait for communication. Blocks and letters
/// tell kinds apart for colour-blind eyes too.
struct Kind {
  char letter;
  int colour;
  std::string_view block = {};
};

constexpr std::array kinds = {Kind{'F', 74, "░"},    Kind{'B', 71, "▓"}, Kind{'I', 72, "▒"},
                              Kind{'W', 108, "▞"},   Kind{'P', 66, "█"}, Kind{'R', 179},
                              Kind{'S', 140, "▚"},   Kind{'C', 74, "▒"}, Kind{'-', plain, "─"},
                              Kind{'.', plain, "·"}, Kind{'p', 209},     Kind{'t', 203},
                              Kind{'d', 174},        Kind{'e', 168},     Kind{'c', 216},
                              Kind{'o', 180},        Kind{'h', 247}};

const Kind* kind_of(char letter) {
  const auto found = std::ranges::find(kinds, letter, &Kind::letter);
  return found == kinds.end() ? nullptr : &*found;
}

int colour_of(char letter) {
  const Kind* kind = kind_of(letter);
  return kind ? kind->colour : plain;
}

bool is_number(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool goes_on(char c) { return is_number(c) || std::islower(static_cast<unsigned char>(c)); }

/// Puts cells one after the other, with codes where the colour changes.
class DrawnCells {
 public:
  /// `code` is what comes before the number of a colour.
  explicit DrawnCells(std::string_view code) : code_(code) {}

  void add(std::string_view cell, int colour) {
    if (colour != last_)
      text_ += colour == plain ? "\033[0m" : fmt::format(fmt::runtime(code_), colour);
    last_ = colour;
    text_ += cell;
  }

  std::string finish() {
    add("", plain);
    return std::move(text_);
  }

 private:
  std::string_view code_;
  std::string text_;
  int last_ = plain;
};

constexpr std::string_view behind = "\033[48;5;{};38;5;16m", before = "\033[38;5;{}m";

/// Letters on their colours, and what is idle left blank.
std::string with_letters(std::string_view letters, bool is_timeline) {
  DrawnCells cells(behind);
  int colour = plain;
  for (const char c : letters) {
    if (!is_timeline || !goes_on(c)) colour = colour_of(c);
    cells.add(std::string_view(c == '.' ? " " : &c, 1), colour);
  }
  return cells.finish();
}

/// A timeline in blocks. An op that has room begins with its number or with half a
/// block.
std::string with_blocks(std::string_view letters, bool colours) {
  DrawnCells cells(before);
  Kind kind{};
  for (size_t k = 0; k < letters.size(); ++k) {
    const char c = letters[k];
    const bool begins = !goes_on(c);
    if (begins) {
      const Kind* known = kind_of(c);
      kind = known ? *known : Kind{c, plain};
    }
    const bool is_unnumbered =
        begins &&
        std::islower(static_cast<unsigned char>(k + 1 < letters.size() ? letters[k + 1] : ' '));
    const std::string_view cell = is_number(c) || kind.block.empty() ? letters.substr(k, 1)
                                  : is_unnumbered                    ? "▌"
                                                                     : kind.block;
    cells.add(cell, colours && !is_number(c) ? kind.colour : plain);
  }
  return cells.finish();
}

/// "F forward, B backward, . idle" with blocks in place of the letters.
std::string legend_with_blocks(std::string_view line, bool colours) {
  DrawnCells cells(before);
  bool at_item = true;
  for (size_t k = 0; k < line.size(); ++k) {
    const Kind* kind = at_item && line.substr(k + 1, 1) == " " ? kind_of(line[k]) : nullptr;
    if (kind && !kind->block.empty())
      cells.add(kind->block, colours ? kind->colour : plain);
    else
      cells.add(line.substr(k, 1), plain);
    at_item = line[k] == ' ' && (at_item || line[k - 1] == ',');
  }
  return cells.finish();
}

std::string drawn_line(std::string_view line, Looks looks) {
  const size_t from = line.find('|'), to = line.rfind('|');
  if (from == std::string_view::npos && looks.blocks && line.ends_with(". idle") &&
      line.starts_with("   "))
    return legend_with_blocks(line, looks.colours);
  if (from == to || to + 1 != line.size()) return std::string(line);
  const std::string_view letters = line.substr(from + 1, to - from - 1);
  // A bar is indented by two; the lines of a timeline have the names of ranks before them.
  const bool is_timeline = from > 2;
  std::string middle(letters);
  if (is_timeline && looks.blocks)
    middle = with_blocks(letters, looks.colours);
  else if (looks.colours)
    middle = with_letters(letters, is_timeline);
  return fmt::format("{}|{}|", line.substr(0, from), middle);
}

}  // namespace

std::string drawn(std::string_view text, Looks looks) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    result += drawn_line(line, looks);
    text.remove_prefix(line.size());
    if (text.empty()) break;
    result += '\n';
    text.remove_prefix(1);
  }
  return result;
}

}  // namespace pipewright
