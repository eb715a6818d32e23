#include "convert/megatron_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace pipewright {
namespace {

bool is_flag(const shell::Word& word) {
  return word.text.size() > 2 && word.text.starts_with("--") && word.text[2] != '-';
}

bool trains(const shell::Command& command) {
  return std::any_of(command.begin(), command.end(), [](const shell::Word& word) {
    return word.text.find("pretrain_") != std::string::npos || word.text == "--num-layers" ||
           word.text.starts_with("--num-layers=");
  });
}

}  // namespace

MegatronFlags::MegatronFlags(std::string_view text, const std::string& file) : file_(file) {
  const std::vector<shell::Command> all = shell::commands(text, file);
  bool found = false;
  for (const shell::Command& command : all) {
    if (!trains(command)) continue;
    read(command);
    found = true;
  }
  // A list of arguments, one a line.
  for (const shell::Command& command : all)
    if (!found || (!command.empty() && is_flag(command.front()) && !trains(command))) read(command);
  if (!flags_.contains("num-layers"))
    throw InputError({file_, 1, 1}, "no argument --num-layers of Megatron-LM is here");
}

void MegatronFlags::read(const shell::Command& command) {
  Flag* flag = nullptr;
  for (const shell::Word& word : command) {
    if (!is_flag(word)) {
      if (flag) flag->values.push_back(word);
      continue;
    }
    const size_t equals = word.text.find('=');
    std::string name = word.text.substr(2, equals == std::string::npos ? equals : equals - 2);
    std::replace(name.begin(), name.end(), '_', '-');
    if (!flags_.contains(name)) order_.push_back(name);
    flag = &(flags_[name] = {word, {}});
    flag->word.text = "--" + name;
    if (equals != std::string::npos) {
      shell::Word value = word;
      value.text = word.text.substr(equals + 1);
      value.column += static_cast<int>(equals) + 1;
      flag->values.push_back(value);
    }
  }
}

const MegatronFlags::Flag* MegatronFlags::find(const std::string& name) {
  const auto found = flags_.find(name);
  if (found == flags_.end()) return nullptr;
  used_.insert(name);
  return &found->second;
}

Where MegatronFlags::where(const std::string& name) const {
  const Flag& flag = flags_.at(name);
  const shell::Word& word = flag.values.empty() ? flag.word : flag.values.front();
  return {file_, word.line, word.column};
}

void MegatronFlags::fail(const std::string& name, const std::string& message) const {
  throw InputError(where(name), fmt::format("--{} {}", name, message));
}

bool MegatronFlags::has(const std::string& name) { return find(name) != nullptr; }

std::optional<std::string> MegatronFlags::text(const std::string& name) {
  const Flag* flag = find(name);
  if (!flag) return std::nullopt;
  if (flag->values.empty()) fail(name, "needs a value");
  return flag->values.front().text;
}

int64_t MegatronFlags::number(const std::string& name, int64_t otherwise, int64_t least) {
  const std::optional<std::string> given = text(name);
  if (!given) return otherwise;
  int64_t n = 0;
  const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), n);
  if (error != std::errc{} || end != given->data() + given->size() || n < least ||
      n > INT64_C(1'000'000'000'000))
    fail(name, fmt::format("needs a whole number of at least {}, not '{}'", least, *given));
  return n;
}

double MegatronFlags::real(const std::string& name, double otherwise) {
  const std::optional<std::string> given = text(name);
  if (!given) return otherwise;
  double n = 0;
  const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), n);
  if (error != std::errc{} || end != given->data() + given->size() || !(n >= 0))
    fail(name, fmt::format("needs a number, not '{}'", *given));
  return n;
}

std::vector<std::string> MegatronFlags::unused() const {
  std::vector<std::string> list;
  for (const std::string& name : order_) {
    if (used_.contains(name)) continue;
    std::string text = "--" + name;
    for (const shell::Word& value : flags_.at(name).values) text += ' ' + value.text;
    list.push_back(std::move(text));
  }
  return list;
}

}  // namespace pipewright
