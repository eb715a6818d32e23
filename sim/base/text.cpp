#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <tuple>

namespace pipewright {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

constexpr size_t most_shown = 2000, shown_begin = 1400, shown_end = 500;  // bytes of a message

/// First bytes of characters of several bytes, and what the second may then be: Unicode's table 3-7
/// of well-formed UTF-8, without the control characters U+0080 to U+009F.
struct Lead {
  unsigned from, to, lowest, highest;
  size_t length;
};
constexpr Lead leads[] = {
    {0xc2, 0xc2, 0xa0, 0xbf, 2}, {0xc3, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

/// How many bytes from `at` are one character that a terminal only shows; 0 where it would do more.
size_t shown_bytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const auto* lead = std::ranges::find_if(
      leads, [&](const Lead& one) { return one.from <= first && first <= one.to; });
  if (lead == std::end(leads) || byte(1) < lead->lowest || byte(1) > lead->highest) return 0;
  for (size_t i = 2; i < lead->length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return lead->length;
}

std::string escaped(std::string_view text) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    const size_t length = shown_bytes(text, at);
    if (length > 0)
      shown += text.substr(at, length);
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    at += std::max<size_t>(length, 1);
  }
  return shown;
}

/// Cuts no character in two: bytes 10xxxxxx go on with one.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string printable(std::string_view text) {
  if (text.size() > 2 * most_shown) {  // before it is escaped, which may take long
    const size_t end = text.size() - most_shown;
    const std::string both =
        std::string(text.substr(0, most_shown)) + std::string(text.substr(end));
    return printable(both);
  }
  const std::string shown = escaped(text);
  if (shown.size() <= most_shown) return shown;
  size_t begin = shown_begin, end = shown.size() - shown_end;
  while (continues(shown[begin])) --begin;
  while (continues(shown[end])) ++end;
  return shown.substr(0, begin) + " ... " + shown.substr(end);
}

/// Tells whether a name has the word between its hyphens or ends, and not much beside it.
static bool is_part(std::string_view word, std::string_view name) {
  const size_t at = name.find(word);
  const size_t longest = 3 * word.size() + 4;
  if (word.size() < 3 || name.size() > longest || at == std::string_view::npos) return false;
  const size_t end = at + word.size();
  return (at == 0 || name[at - 1] == '-') && (end == name.size() || name[end] == '-');
}

static std::string quoted(std::string_view word) { return fmt::format("'{}'", word); }

/// "h100" of "dgx-h100" is a part of it between its hyphens, and no mistake of "h800". What differs
/// in its capitals alone goes before all others.
static std::vector<std::string> quoted_wholes(std::string_view word,
                                              std::span<const std::string_view> candidates) {
  const std::string lower = lower_case(word);
  std::vector<std::string> same, wholes;
  for (const std::string_view candidate : candidates) {
    const std::string name = lower_case(candidate);
    if (name == lower) same.push_back(quoted(candidate));
    if (is_part(lower, name)) wholes.push_back(quoted(candidate));
  }
  return same.empty() ? wholes : same;
}

/// Tells whether `longer` has all letters of `word` in their order: some were left out.
static bool lacks_letters(std::string_view word, std::string_view longer) {
  for (const char letter : longer)
    if (!word.empty() && word.front() == letter) word.remove_prefix(1);
  return word.empty();
}

/// Returns the candidate of the fewest edits. Of those, one that begins alike goes first, and of
/// these one of which letters were left out: "nods" is 'nodes' rather than 'node'.
static std::string_view nearest_to(std::string_view word,
                                   std::span<const std::string_view> candidates) {
  std::tuple<size_t, bool, bool> best{word.size() / 3 + 2, false, false};
  std::string_view nearest;
  for (const std::string_view candidate : candidates) {
    const bool begins_otherwise = candidate.substr(0, 1) != word.substr(0, 1);
    const std::tuple distance{edit_distance(word, candidate), begins_otherwise,
                              !lacks_letters(word, candidate)};
    if (distance < best) best = distance, nearest = candidate;
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr size_t longest = 64, most_wholes = 3;
  if (word.size() > longest) return {};
  std::vector<std::string> wholes = quoted_wholes(word, candidates);
  if (!wholes.empty()) {
    wholes.resize(std::min(wholes.size(), most_wholes));
    return fmt::format("; did you mean {}?", fmt::join(wholes, " or "));
  }
  const std::string_view nearest = nearest_to(word, candidates);
  return nearest.empty() ? std::string{} : fmt::format("; did you mean '{}'?", nearest);
}

std::string join(std::span<const std::string_view> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string human_time(double seconds) {
  struct Unit {
    double size;
    const char* name;
  };
  constexpr Unit units[] = {{86400, "d"}, {3600, "h"},  {1, "s"},
                            {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  if (seconds == 0) return "0 s";
  for (const Unit& unit : units) {
    if (std::abs(seconds) >= unit.size)
      return fmt::format("{:.4g} {}", seconds / unit.size, unit.name);
  }
  return fmt::format("{:.4g} ps", seconds * 1e12);
}

std::string human_days(double seconds) {
  const double days = seconds / 86'400;
  return days < 100 ? fmt::format("{:.3g}", days) : fmt::format("{:.0f}", days);
}

std::string human_bytes(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  size_t unit = 0;
  while (std::abs(bytes) >= 1024 && unit + 1 < std::size(units)) bytes /= 1024, ++unit;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.4g} {}", bytes, units[unit]);
}

}  // namespace pipewright
