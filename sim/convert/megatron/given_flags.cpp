#include "convert/megatron/given_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace pipewright::megatron {
namespace {

bool is_flag(const job::Word& word) {
  return word.text.size() > 2 && word.text.starts_with("--") && word.text[2] != '-';
}

/// What stands before a word that belongs to no argument, and how a script may have cut it off.
std::string after(const GivenFlag& flag, const job::Word& word) {
  std::string before = flag.named();
  if (!flag.values.empty()) before += " " + flag.values.back().text;
  return fmt::format("; before it is '{}'{}", before,
                     word.said.empty() ? ". An array without quotes is cut at blanks: "
                                         "\"${ARGS[@]}\" keeps a value of several words whole"
                                       : "");
}

void check_values(const GivenFlag& flag) {
  if (!flag.argument) return;
  const bool needs = flag.argument->takes == Takes::one || flag.argument->takes == Takes::some;
  if (needs && flag.values.empty() && flag.argument->effect != Effect::nothing)
    throw InputError(flag.word.where, fmt::format("{} needs a value", flag.named()));
  if (flag.argument->takes == Takes::flag && !flag.values.empty())
    throw InputError(flag.values.front().where, fmt::format("{} takes no value", flag.named()));
}

/// A value that no release takes, and that forks read here too have added.
struct ForkValue {
  std::string_view name, value;
};
constexpr ForkValue fork_values[] = {{"position-embedding-type", "alibi"},
                                     {"position-embedding-type", "rotary"},
                                     {"normalization", "rmsnorm"},
                                     {"normalization", "layernorm"}};

bool is_of_a_fork(const GivenFlag& flag, std::string_view value) {
  return std::any_of(std::begin(fork_values), std::end(fork_values), [&](const ForkValue& fork) {
    return fork.name == flag.argument->name && fork.value == value;
  });
}

/// Throws InputError for a value that Megatron-LM's parser would not take, where it matters; else
/// notes it.
void check_value(const GivenFlag& flag, const job::Word& value, job::Import& import) {
  if (value.unknown) return;
  const std::string needed = misfit_of(*flag.argument, value.text);
  if (needed.empty() || is_of_a_fork(flag, value.text)) return;
  const std::string message =
      fmt::format("{} needs {}, not '{}'", flag.named(), needed, value.text);
  // Forks of Megatron-LM add choices.
  const bool matters =
      flag.argument->effect == Effect::means || flag.argument->effect == Effect::refused;
  if (matters || flag.argument->choices.empty()) throw InputError(value.where, message);
  import.assumed.push_back(message + " in any release");
}

/// Tells whether an argument matters to nothing and takes whatever text: words that stand behind it
/// are of a text such as "your data path", for which the user of the script is to give another.
bool takes_any_text(const GivenFlag& flag) {
  return flag.argument && flag.argument->effect == Effect::nothing &&
         flag.argument->takes == Takes::one && !flag.values.empty() &&
         misfit_of(*flag.argument, "some text").empty();
}

}  // namespace

std::string GivenFlag::written() const {
  std::string text = named();
  if (!word.said.empty() && !values.empty()) text += ':';
  for (const job::Word& value : values) text += ' ' + value.text;
  return text;
}

GivenFlags::GivenFlags(const job::Launch& launch, job::Import& import) : import_(import) {
  GivenFlag* flag = nullptr;
  for (const job::Word& word : launch.arguments) {
    if (!is_flag(word)) {
      add_value(flag, word);
      continue;
    }
    const size_t equals = word.text.find('=');
    flag = &start(word, word.text.substr(2, equals == std::string::npos ? equals : equals - 2));
    if (equals == std::string::npos) continue;
    job::Word value = word;
    value.text = word.text.substr(equals + 1);
    value.where.column += static_cast<int>(equals) + 1;
    flag->values.push_back(value);
  }
  drop_later_ones();
  for (const std::string& name : order_) {
    const GivenFlag& flag = flags_.at(name);
    check_values(flag);
    // A document's values are those of its framework.
    if (!flag.argument || launch.spelled || !flag.word.said.empty()) continue;
    for (const job::Word& value : flag.values) check_value(flag, value, import);
  }
}

GivenFlag& GivenFlags::start(const job::Word& word, const std::string& written) {
  std::string name = written;
  std::replace(name.begin(), name.end(), '_', '-');
  const Argument* argument = find_argument(name);
  // A command line has no fields: their names may be the beginning of an argument's.
  const bool may_go_on = !argument || (argument->is_field && word.said.empty());
  if (const Argument* whole = may_go_on ? complete_argument(name) : nullptr) argument = whole;
  if (argument && argument->name != name) completed_[std::string(argument->name)] = name;
  if (argument) name = argument->name;
  if (!flags_.contains(name)) {
    order_.push_back(name);
  } else if (argument && argument->effect == Effect::means && argument->takes != Takes::flag) {
    import_.assumed.push_back(fmt::format("{} is given twice: the last one holds ({})",
                                          flags_.at(name).named(), to_string(word.where)));
  }
  GivenFlag& flag = flags_[name] = {word, argument, {}};
  flag.word.text = "--" + name;
  return flag;
}

void GivenFlags::drop_later_ones() {
  std::string_view ends = "9999-99";
  for (const auto& [name, flag] : flags_)
    if (flag.argument && !completed_.contains(name)) ends = std::min(ends, flag.argument->ends);
  for (std::string& name : order_) {
    const auto written = completed_.find(name);
    if (written == completed_.end() || flags_.at(name).argument->from <= ends) continue;
    GivenFlag flag = std::move(flags_.extract(name).mapped());
    flag.argument = nullptr;
    flag.word.text = "--" + written->second;
    name = written->second;
    flags_[name] = std::move(flag);
  }
}

void GivenFlags::add_value(GivenFlag* flag, const job::Word& word) {
  const bool has_room = flag && (!flag->argument || flag->argument->takes == Takes::some ||
                                 flag->argument->effect == Effect::refused ||
                                 (flag->argument->takes != Takes::flag && flag->values.empty()));
  if (has_room) {
    flag->values.push_back(word);
  } else if (word.unknown && word.unknown->unset) {
    import_.assumed.push_back(fmt::format("{} is not set, and adds no arguments ({})",
                                          word.unknown->written, to_string(word.where)));
  } else if (word.unknown) {
    job::fail_unknown(word, "a part of the arguments");
  } else if (flag && takes_any_text(*flag)) {
    if (flag->is_several_words) return;
    flag->is_several_words = true;
    import_.assumed.push_back(
        fmt::format("{} is taken to have one value, and not several words: '{} {} ...' ({})",
                    flag->named(), flag->values.front().text, word.text, to_string(word.where)));
  } else {
    throw InputError(word.where, fmt::format("'{}' belongs to no argument{}", word.text,
                                             flag ? after(*flag, word) : ""));
  }
}

const GivenFlag* GivenFlags::find(const std::string& name) const {
  const auto found = flags_.find(name);
  return found == flags_.end() ? nullptr : &found->second;
}

}  // namespace pipewright::megatron
