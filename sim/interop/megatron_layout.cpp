#include "interop/megatron_layout.hpp"

#include <fmt/format.h>

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
    if (c != '(') fail(fmt::format("'{}' means nothing", c));
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

}  // namespace

std::vector<int> read_megatron_layout(std::string_view text, const Where& where) {
  std::vector<int> stages(1, 0);
  Expansion expansion(text, where);
  const std::string expanded = expansion.all();
  if (expanded.empty()) expansion.fail("it is empty");
  for (const char c : expanded) {
    if (c == '|')
      stages.push_back(0);
    else if (c == 't' || c == 'T')
      ++stages.back();
  }
  return stages;
}

}  // namespace pipewright
