#include "interop/megatron_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace pipewright {
namespace {

constexpr size_t longest = 100'000;
constexpr int deepest = 16;

class Expansion {
 public:
  Expansion(std::string_view text, const Where& where) : text_(text), where_(where) {}

  std::string all() {
    std::string expanded = sequence(0);
    if (at_ < text_.size()) fail("a ')' without its '('");
    return expanded;
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(where_, fmt::format("'{}' is no pipeline layout such as Et*3|(tt|)*29|L: {}",
                                         text_.substr(0, 80), why));
  }

 private:
  std::string sequence(int depth) {
    if (depth > deepest) fail("nested too deeply");
    std::string expanded;
    while (at_ < text_.size() && text_[at_] != ')') {
      std::string piece = one(depth);
      const size_t times = repetitions();
      if (expanded.size() + piece.size() * times > longest) fail("too long");
      for (size_t i = 0; i < times; ++i) expanded += piece;
    }
    return expanded;
  }

  std::string one(int depth) {
    const char c = text_[at_++];
    if (c == ',' || c == ' ') return {};
    if (std::string_view("EtTmL|").find(c) != std::string_view::npos) return {c};
    if (c != '(') fail(fmt::format("'{}' is no letter of a layout; E, t, m, L and | are", c));
    std::string inner = sequence(depth + 1);
    if (at_ >= text_.size()) fail("a '(' is not closed");
    ++at_;
    return inner;
  }

  size_t repetitions() {
    if (at_ >= text_.size() || text_[at_] != '*') return 1;
    ++at_;
    size_t times = 0;
    const size_t start = at_;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_)
      times = std::min(times * 10 + static_cast<size_t>(text_[at_] - '0'), longest);
    if (at_ == start) fail("'*' needs a number");
    return times;
  }

  std::string_view text_;
  const Where& where_;
  size_t at_ = 0;
};

/// Holds the parts to the order of a model: embedding, layers, predictions, loss.
void check_order(std::string_view expanded, const Expansion& expansion) {
  size_t last = 0;
  for (const char c : expanded) {
    const size_t place = std::string_view("EtmL").find(c == 'T' ? 't' : c);
    if (place == std::string_view::npos) continue;
    if (place < last) expansion.fail(fmt::format("'{}' comes too late", c));
    last = place;
  }
  for (const char end : {'E', 'L'}) {
    const auto times = std::ranges::count(expanded, end);
    if (times == 0) expansion.fail(fmt::format("'{}' is missing", end));
    if (times > 1) expansion.fail(fmt::format("'{}' twice", end));
  }
}

}  // namespace

bool MegatronLayout::predicts() const {
  return std::ranges::any_of(predictions, [](int64_t count) { return count > 0; });
}

bool MegatronLayout::predicts_with_loss() const {
  return std::all_of(predictions.begin(), predictions.end() - 1,
                     [](int64_t count) { return count == 0; });
}

bool is_megatron_layout(std::string_view text) {
  if (text.find('|') != std::string_view::npos) return true;
  return text.find_first_not_of("EtTmL()*0123456789, ") == std::string_view::npos &&
         text.find_first_of("Et") != std::string_view::npos;
}

MegatronLayout read_megatron_layout(std::string_view text, const Where& where) {
  MegatronLayout layout{{0}, {0}};
  Expansion expansion(text, where);
  const std::string expanded = expansion.all();
  if (expanded.empty()) expansion.fail("it is empty");
  check_order(expanded, expansion);
  for (const char c : expanded) {
    if (c == '|') {
      layout.layers.push_back(0);
      layout.predictions.push_back(0);
    }
    if (c == 't' || c == 'T') ++layout.layers.back();
    if (c == 'm') ++layout.predictions.back();
  }
  return layout;
}

}  // namespace pipewright
