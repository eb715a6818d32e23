#include "report/text/coloured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace pipewright {
namespace {

constexpr int plain = -1;

/// The background, of the 256 colours that terminals have: blues and greens compute, warm colours
/// wait for communication. Told apart by colour-blind eyes too, as the letters stay.
int colour_of(char kind) {
  switch (kind) {
    case 'F':
      return 74;
    case 'B':
      return 71;
    case 'I':
      return 72;
    case 'W':
      return 108;
    case 'P':
      return 66;
    case 'R':
      return 179;
    case 'S':
      return 140;
    case 'C':
      return 74;
    case 'p':
      return 209;
    case 't':
      return 203;
    case 'd':
      return 174;
    case 'e':
      return 168;
    case 'c':
      return 216;
    case 'o':
      return 180;
    case 'h':
      return 247;
    default:
      return plain;
  }
}

/// Draws one stretch. In a timeline small letters and digits go on with the op before them; a bar
/// has no stretch of its own for them.
class Stretch {
 public:
  explicit Stretch(bool is_timeline) : is_timeline_(is_timeline) {}

  std::string draw(std::string_view letters) {
    std::string text;
    for (const char c : letters) {
      const int colour = c == '.' || c == '-' ? plain : next(c);
      if (colour != last_) text += code(colour);
      last_ = colour;
      text += c == '.' ? ' ' : c;
    }
    return text + (last_ == plain ? "" : code(plain));
  }

 private:
  int next(char c) const {
    const bool goes_on = std::isdigit(static_cast<unsigned char>(c)) || std::islower(c);
    return is_timeline_ && goes_on ? last_ : colour_of(c);
  }

  static std::string code(int colour) {
    return colour == plain ? "\033[0m" : fmt::format("\033[48;5;{};38;5;16m", colour);
  }

  bool is_timeline_;
  int last_ = plain;
};

}  // namespace

std::string coloured(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    const size_t from = line.find('|'), to = line.rfind('|');
    if (from == to) {
      result += line;
      continue;
    }
    const bool is_timeline = line.substr(0, from).find_first_not_of(' ') != std::string_view::npos;
    result += line.substr(0, from + 1);
    result += Stretch(is_timeline).draw(line.substr(from + 1, to - from - 1));
    result += line.substr(to);
  }
  return result;
}

}  // namespace pipewright
