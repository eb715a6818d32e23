#include "convert/megatron/layer_pattern.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace pipewright::megatron {
namespace {

constexpr int deepest = 32;

/// sum = term {"+" term}; term = ("(" sum ")" | "[" numbers "]") ["*" number].
class Reader {
 public:
  explicit Reader(std::string_view text) {
    for (const char c : text)
      if (c != ' ') text_ += c;
  }

  std::optional<std::vector<int>> run() {
    std::vector<int> list = sum();
    if (fails_ || at_ != text_.size()) return std::nullopt;
    return list;
  }

 private:
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) { fails_ = !take(c) || fails_; }

  int number() {
    int value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    fails_ = fails_ || error != std::errc() || value < 0;
    at_ += static_cast<size_t>(end - begin);
    return value;
  }

  std::vector<int> sum() {
    std::vector<int> list;
    do {
      const std::vector<int> more = term();
      list.insert(list.end(), more.begin(), more.end());
      fails_ = fails_ || std::ssize(list) > most_layers;
    } while (!fails_ && take('+'));
    return list;
  }

  std::vector<int> term() {
    const std::vector<int> once = factor();
    const int times = take('*') ? number() : 1;
    if (fails_ || times < 0 || std::ssize(once) * times > most_layers) {
      fails_ = true;
      return {};
    }
    std::vector<int> list;
    for (int i = 0; i < times; ++i) list.insert(list.end(), once.begin(), once.end());
    return list;
  }

  std::vector<int> factor() {
    std::vector<int> list;
    if (take('(')) {
      fails_ = fails_ || ++depth_ > deepest;
      if (!fails_) list = sum();
      --depth_;
      expect(')');
      return list;
    }
    expect('[');
    do list.push_back(number());
    while (!fails_ && take(','));
    expect(']');
    return list;
  }

  std::string text_;
  size_t at_ = 0;
  int depth_ = 0;
  bool fails_ = false;
};

}  // namespace

std::optional<std::vector<int>> read_layer_pattern(std::string_view text) {
  return Reader(text).run();
}

size_t period_of(const std::vector<int>& layers) {
  for (size_t period = 1; period < layers.size(); ++period)
    if (std::equal(layers.begin() + static_cast<std::ptrdiff_t>(period), layers.end(),
                   layers.begin()))
      return period;
  return layers.size();
}

config::Value kinds_of(const std::vector<int>& layers, const char* marked, const char* others) {
  config::Value list;
  list.kind = config::Value::Kind::list;
  for (size_t i = 0; i < period_of(layers); ++i)
    list.items.push_back(config::scalar(layers[i] != 0 ? marked : others));
  return list;
}

}  // namespace pipewright::megatron
