#include "network/resharding/sharding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace pipewright::resharding {
namespace {

constexpr int most_side = 65536;
constexpr size_t most_dimensions = 8;

/// The names of a cut, the longer first.
constexpr std::pair<std::string_view, Cut> names[] = {{"S01", Cut::rows_columns},
                                                      {"S10", Cut::columns_rows},
                                                      {"S0", Cut::rows},
                                                      {"S1", Cut::columns},
                                                      {"R", Cut::none}};

bool uses_rows(Cut cut) { return cut != Cut::none && cut != Cut::columns; }
bool uses_columns(Cut cut) { return cut != Cut::none && cut != Cut::rows; }

bool share_a_side(Cut a, Cut b) {
  return (uses_rows(a) && uses_rows(b)) || (uses_columns(a) && uses_columns(b));
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Change change() {
    Change change{sharding(), {}};
    skip_blanks();
    expect("->");
    change.to = sharding();
    skip_blanks();
    if (at_ != text_.size()) fail("nothing more");
    const size_t most = std::max(change.from.dimensions.size(), change.to.dimensions.size());
    change.from.dimensions.resize(most, Cut::none);
    change.to.dimensions.resize(most, Cut::none);
    return change;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError(
        fmt::format("--reshard '{}': expected {} at character {}; a right one is "
                    "'RS0R@(2,4) -> S01R@(3,4)'",
                    text_, expected, at_ + 1));
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail(fmt::format("'{}'", word));
  }

  int number() {
    skip_blanks();
    int value = 0;
    const size_t first = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && value <= most_side;
         ++at_)
      value = 10 * value + (text_[at_] - '0');
    if (first == at_ || value < 1 || value > most_side) fail("a number of devices");
    skip_blanks();
    return value;
  }

  bool cut(Sharding& sharding) {
    for (const auto& [name, cut] : names) {
      if (!take(name)) continue;
      for (const Cut other : sharding.dimensions) {
        if (share_a_side(other, cut)) fail("no second dimension over the same side of the mesh");
      }
      sharding.dimensions.push_back(cut);
      return true;
    }
    return false;
  }

  Sharding sharding() {
    skip_blanks();
    Sharding sharding;
    while (sharding.dimensions.size() < most_dimensions && cut(sharding)) {
    }
    if (sharding.dimensions.empty()) fail("R, S0, S1, S01 or S10");
    expect("@(");
    sharding.rows = number();
    expect(",");
    sharding.columns = number();
    expect(")");
    return sharding;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

int Sharding::pieces(size_t dimension) const {
  const Cut cut = dimensions[dimension];
  return (uses_rows(cut) ? rows : 1) * (uses_columns(cut) ? columns / copies : 1);
}

int Sharding::piece(size_t dimension, int device) const {
  const int row = device / columns, column = device % columns / copies;
  switch (dimensions[dimension]) {
    case Cut::none:
      return 0;
    case Cut::rows:
      return row;
    case Cut::columns:
      return column;
    case Cut::rows_columns:
      return row * (columns / copies) + column;
    case Cut::columns_rows:
      return column * rows + row;
  }
  return 0;
}

std::optional<std::vector<Cut>> cuts_named(std::string_view text) {
  std::vector<Cut> cuts;
  while (!text.empty()) {
    const auto* found =
        std::ranges::find_if(names, [&](const auto& one) { return text.starts_with(one.first); });
    if (found == std::end(names)) return std::nullopt;
    for (const Cut other : cuts)
      if (share_a_side(other, found->second)) return std::nullopt;
    cuts.push_back(found->second);
    text.remove_prefix(found->first.size());
  }
  return cuts;
}

Change read_change(std::string_view text) { return Reader(text).change(); }

}  // namespace pipewright::resharding
