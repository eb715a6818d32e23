#include "workload/cnn/cnn_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>

namespace pipewright {
namespace {

using config::Value;
using Kind = CnnStep::Kind;

constexpr int64_t largest = 1 << 20;    // of any dimension
constexpr size_t most_steps = 100'000;  // repeats written out
constexpr int deepest = 16;

constexpr std::array<std::pair<std::string_view, Kind>, 7> operations{{
    {"conv", Kind::conv},
    {"up-conv", Kind::up_conv},
    {"max-pool", Kind::max_pool},
    {"average-pool", Kind::average_pool},
    {"global-pool", Kind::global_pool},
    {"dense", Kind::dense},
    {"attention", Kind::attention},
}};

/// The words of a step such as "conv 64 3x3 /2 pad 1", read from front to back.
class Words {
 public:
  explicit Words(const Value& value) : value_(value) {
    std::istringstream text(config::as_text(value));
    for (std::string word; text >> word;) words_.push_back(word);
  }
  bool empty() const { return next_ == words_.size(); }
  std::string take(std::string_view what) {
    if (empty()) value_.fail(fmt::format("'{}' needs {}", value_.text, what));
    return words_[next_++];
  }
  bool take_if(std::string_view word) {
    if (empty() || words_[next_] != word) return false;
    ++next_;
    return true;
  }
  bool begins_with(char c) const { return !empty() && words_[next_].front() == c; }
  int64_t number(std::string_view text, std::string_view what) const {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0 || number > largest)
      value_.fail(fmt::format("'{}' in '{}' is no {}", text, value_.text, what));
    return number;
  }
  int64_t positive(std::string_view text, std::string_view what) const {
    const int64_t n = number(text, what);
    if (n == 0) value_.fail(fmt::format("the {} in '{}' must be above 0", what, value_.text));
    return n;
  }
  [[noreturn]] void fail(const std::string& message) const { value_.fail(message); }

 private:
  const Value& value_;
  std::vector<std::string> words_;
  size_t next_ = 0;
};

void read_kernel(Words& words, CnnStep& step) {
  const std::string text = words.take("a kernel such as 3x3");
  const size_t cross = text.find('x');
  if (cross == std::string::npos) words.fail(fmt::format("'{}' is no kernel such as 3x3", text));
  step.height = words.positive(std::string_view(text).substr(0, cross), "kernel height");
  step.width = words.positive(std::string_view(text).substr(cross + 1), "kernel width");
  const bool pads = step.kind == Kind::conv;
  step.pad_height = pads ? (step.height - 1) / 2 : 0;
  step.pad_width = pads ? (step.width - 1) / 2 : 0;
  if (words.begins_with('/'))
    step.stride = words.positive(std::string_view(words.take("")).substr(1), "stride");
  if (words.take_if("valid")) step.pad_height = step.pad_width = 0;
  if (words.take_if("pad"))
    step.pad_height = step.pad_width = words.number(words.take("a padding"), "padding");
}

CnnStep read_operation(const Value& value) {
  Words words(value);
  const std::string name = words.take("an operation");
  const auto* found = std::find_if(operations.begin(), operations.end(),
                                   [&](const auto& entry) { return entry.first == name; });
  if (found == operations.end()) {
    value.fail(fmt::format(
        "unknown operation '{}'; one of conv, up-conv, max-pool, average-pool, global-pool, dense, "
        "attention",
        name));
  }
  CnnStep step{.kind = found->second, .source = value};
  const bool has_channels =
      step.kind == Kind::conv || step.kind == Kind::up_conv || step.kind == Kind::dense;
  if (has_channels) step.channels = words.positive(words.take("its outputs"), "number of outputs");
  if (step.kind == Kind::attention) {
    step.channels = words.positive(words.take("its heads"), "number of heads");
  } else if (step.kind != Kind::dense && step.kind != Kind::global_pool) {
    read_kernel(words, step);
  }
  if (step.kind == Kind::up_conv) step.stride = step.height;
  if (!words.empty()) value.fail(fmt::format("'{}' is more than '{}' takes", value.text, name));
  return step;
}

/// Reads steps and writes out repeats, as long as the network does not grow beyond reason.
class StepReader {
 public:
  std::vector<CnnStep> list(const Value& value) {
    if (++depth_ > deepest) value.fail("layers are nested deeper than 16");
    if (!value.is_list()) value.fail("expected a list of layers");
    std::vector<CnnStep> steps;
    for (const Value& item : value.items) add(item, steps);
    --depth_;
    return steps;
  }

 private:
  void add(const Value& value, std::vector<CnnStep>& steps) {
    if (value.is_scalar()) return steps.push_back(read_operation(value));
    if (!value.is_map()) value.fail("a layer is an operation such as 'conv 64 3x3', or a map");
    const config::Fields fields(
        value, "cnn layer",
        {"residual", "shortcut", "branches", "unit", "repeat", "layers", "save", "concat", "cell"});
    if (fields.find("layers")) return repeat(fields, steps);
    steps.push_back(composed(fields));
  }

  void repeat(const config::Fields& fields, std::vector<CnnStep>& steps) {
    const int64_t times = fields.integer("repeat", 1, 1, 10'000);
    const std::vector<CnnStep> once = list(fields.at("layers"));
    written_ += static_cast<size_t>(times) * count(once);
    if (written_ > most_steps) fields.value().fail("more than 100000 layers");
    for (int64_t i = 0; i < times; ++i) steps.insert(steps.end(), once.begin(), once.end());
  }

  static size_t count(const std::vector<CnnStep>& steps) {
    size_t sum = steps.size();
    for (const CnnStep& step : steps)
      for (const std::vector<CnnStep>& part : step.parts) sum += count(part);
    return sum;
  }

  CnnStep composed(const config::Fields& fields) {
    CnnStep step{.source = fields.value()};
    if (const Value* body = fields.find("residual")) {
      step.kind = Kind::residual;
      const Value* shortcut = fields.find("shortcut");
      step.parts = {list(*body), shortcut ? list(*shortcut) : std::vector<CnnStep>{}};
    } else if (const Value* branches = fields.find("branches")) {
      step.kind = Kind::branches;
      if (!branches->is_list() || branches->items.empty())
        branches->fail("branches must be a list of lists of layers");
      for (const Value& branch : branches->items) step.parts.push_back(list(branch));
    } else if (const Value* unit = fields.find("unit")) {
      step.parts = {list(*unit)};
    } else if (const Value* saved = fields.find("save")) {
      step.kind = Kind::save;
      step.name = config::as_text(*saved);
    } else if (const Value* taken = fields.find("concat")) {
      step.kind = Kind::concat;
      step.name = config::as_text(*taken);
    } else if (const Value* cell = fields.find("cell")) {
      read_cell(*cell, step);
    } else {
      fields.value().fail(
          "a layer needs one of residual, branches, unit, repeat with layers, save, concat, "
          "cell");
    }
    return step;
  }

  void read_cell(const Value& value, CnnStep& step) {
    const config::Fields fields(value, "cell", {"input", "previous", "sums", "concat"});
    step.kind = Kind::cell;
    step.parts = {list(fields.at("input")), list(fields.at("previous"))};
    step.from = {0, 0};
    size_t states = 2;
    for (const Value& sum : items(fields.at("sums"), "a list of sums")) {
      if (items(sum, "a sum of two").size() != 2) sum.fail("expected a sum of two");
      for (const Value& term : sum.items) read_term(term, states, step);
      ++states;
    }
    for (const Value& state : items(fields.at("concat"), "a list of states"))
      step.states.push_back(number_of(state, states));
    if (step.states.empty()) fields.at("concat").fail("no state leaves the cell");
  }

  void read_term(const Value& term, size_t states, CnnStep& step) {
    if (items(term, "a state and what is done to it").empty())
      term.fail("expected a state and what is done to it");
    step.from.push_back(number_of(term.items.front(), states));
    Value rest = term;
    rest.items.erase(rest.items.begin());
    step.parts.push_back(list(rest));
  }

  static const std::vector<Value>& items(const Value& value, std::string_view what) {
    if (!value.is_list()) value.fail(fmt::format("expected {}", what));
    return value.items;
  }

  static size_t number_of(const Value& state, size_t states) {
    return static_cast<size_t>(config::as_int(state, 0, static_cast<int64_t>(states) - 1));
  }

  int depth_ = 0;
  size_t written_ = 0;
};

Image read_input(const Value& value) {
  if (!value.is_list() || value.items.size() != 3)
    value.fail("input is [channels, height, width] of a sample");
  const auto at = [&](size_t i) { return config::as_int(value.items[i], 1, largest); };
  return {at(0), at(1), at(2)};
}

}  // namespace

CnnShape read_cnn(const Value& value) {
  const config::Fields fields(value, "cnn", {"input", "norm", "layout", "layers"});
  CnnShape shape;
  shape.input = read_input(fields.at("input"));
  shape.norm = fields.boolean("norm", false);
  if (const Value* layout = fields.find("layout"))
    shape.channels_last = config::as_choice(*layout, {"channels-first", "channels-last"}) == 1;
  shape.layers = StepReader().list(fields.at("layers"));
  if (shape.layers.empty()) fields.at("layers").fail("a network needs a layer");
  return shape;
}

}  // namespace pipewright
