#include "convert/megatron/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace pipewright::megatron {
namespace {

bool is_flag(const job::Word& word) {
  return word.text.size() > 2 && word.text.starts_with("--") && word.text[2] != '-';
}

std::string nearest(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Argument& argument : arguments()) names.push_back(argument.name);
  return did_you_mean(name, names);
}

template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number n{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

}  // namespace

Flags::Flags(const job::Launch& launch, const job::Source& source, job::Import& import)
    : source_(source), import_(import), spelled_(launch.spelled) {
  Flag* flag = nullptr;
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
  for (const std::string& name : order_) check_values(flags_.at(name));
}

Flags::Flag& Flags::start(const job::Word& word, const std::string& written) {
  std::string name = written;
  std::replace(name.begin(), name.end(), '_', '-');
  const Argument* argument = find_argument(name);
  if (!argument) argument = complete_argument(name);
  if (argument) name = argument->name;
  if (!flags_.contains(name)) {
    order_.push_back(name);
  } else if (argument && argument->effect == Effect::means && argument->takes != Takes::flag) {
    import_.assumed.push_back(fmt::format("{} is given twice: the last one holds ({})", named(name),
                                          to_string(word.where)));
  }
  Flag& flag = flags_[name] = {word, argument, {}};
  flag.word.text = "--" + name;
  return flag;
}

void Flags::add_value(Flag* flag, const job::Word& word) {
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
  } else {
    throw InputError(word.where, fmt::format("'{}' belongs to no argument", word.text));
  }
}

void Flags::check_values(const Flag& flag) {
  if (!flag.argument) return;
  const bool needs = flag.argument->takes == Takes::one || flag.argument->takes == Takes::some;
  if (needs && flag.values.empty() && flag.argument->effect != Effect::nothing)
    throw InputError(flag.word.where, fmt::format("{} needs a value", named(flag)));
  if (flag.argument->takes == Takes::flag && !flag.values.empty())
    throw InputError(flag.values.front().where, fmt::format("{} takes no value", named(flag)));
  for (const job::Word& value : flag.values) check_value(flag, value);
}

/// A document's values are those of its framework.
void Flags::check_value(const Flag& flag, const job::Word& value) {
  if (spelled_ || value.unknown || !flag.word.said.empty()) return;
  const std::string needed = misfit_of(*flag.argument, value.text);
  if (needed.empty()) return;
  const std::string message = fmt::format("{} needs {}, not '{}'", named(flag), needed, value.text);
  // Forks of Megatron-LM add choices.
  const bool matters =
      flag.argument->effect == Effect::means || flag.argument->effect == Effect::refused;
  if (matters || flag.argument->choices.empty()) throw InputError(value.where, message);
  import_.assumed.push_back(message + " in any release");
}

void Flags::check_releases() {
  const Flag *first_gone = nullptr, *last_come = nullptr;
  for (const std::string& name : order_) {
    const Flag& flag = flags_.at(name);
    if (!flag.argument || !flag.word.said.empty()) continue;
    if (!first_gone || flag.argument->to < first_gone->argument->to) first_gone = &flag;
    if (!last_come || flag.argument->from > last_come->argument->from) last_come = &flag;
  }
  if (spelled_ || !first_gone || last_come->argument->from <= first_gone->argument->to) return;
  import_.assumed.push_back(fmt::format(
      "no release of Megatron-LM has both {} (until {}) and {} (since {}): each means what it does "
      "in its own",
      named(*first_gone), first_gone->argument->to, named(*last_come), last_come->argument->from));
}

const Flags::Flag* Flags::find(const std::string& name) {
  const auto found = flags_.find(name);
  if (found == flags_.end()) return nullptr;
  used_.insert(name);
  return &found->second;
}

Where Flags::where(const std::string& name) const {
  const auto found = flags_.find(name);
  if (found == flags_.end()) return where();
  const Flag& flag = found->second;
  return (flag.values.empty() ? flag.word : flag.values.front()).where;
}

Where Flags::where() const {
  if (spelled_ || order_.empty()) return {source_.file, 1, 1};
  return flags_.at(order_.front()).word.where;
}

std::string Flags::named(const Flag& flag) {
  return flag.word.said.empty() ? flag.word.text : flag.word.said;
}

std::string Flags::named(const std::string& name) const {
  const auto found = flags_.find(name);
  if (found != flags_.end()) return named(found->second);
  return spelled_ ? spelled_(name) : "--" + name;
}

void Flags::fail(const std::string& name, const std::string& message) const {
  throw InputError(where(name), fmt::format("{} {}", named(name), message));
}

void Flags::refuse(const std::string& name, const std::string& message) {
  job::refuse(source_, import_, where(name), fmt::format("{} {}", named(name), message));
}

bool Flags::has(const std::string& name) { return find(name) != nullptr; }

std::vector<std::string> Flags::texts(const std::string& name) {
  std::vector<std::string> all;
  const Flag* flag = find(name);
  if (!flag) return all;
  for (const job::Word& value : flag->values) {
    if (value.unknown) job::fail_unknown(value, named(*flag));
    all.push_back(value.text);
  }
  return all;
}

std::optional<std::string> Flags::text(const std::string& name) {
  const std::vector<std::string> all = texts(name);
  if (all.empty()) return std::nullopt;
  return all.front();
}

int64_t Flags::number(const std::string& name, int64_t otherwise, int64_t least) {
  std::optional<std::string> given = text(name);
  if (!given) return otherwise;
  std::erase(*given, '_');  // Python's int() takes digits in groups
  const std::optional<int64_t> n = parsed<int64_t>(*given);
  if (!n || *n < least || *n > INT64_C(1'000'000'000'000))
    fail(name, fmt::format("needs a whole number of at least {}, not '{}'", least, *given));
  return *n;
}

double Flags::real(const std::string& name, double otherwise) {
  const std::optional<std::string> given = text(name);
  if (!given) return otherwise;
  const std::optional<double> n = parsed<double>(*given);
  if (!n || !(*n >= 0)) fail(name, fmt::format("needs a number, not '{}'", *given));
  return *n;
}

std::string Flags::written(const Flag& flag) {
  std::string text = named(flag);
  if (!flag.word.said.empty() && !flag.values.empty()) text += ':';
  for (const job::Word& value : flag.values) text += ' ' + value.text;
  return text;
}

void Flags::review_one(const Flag& flag) {
  const std::string text = written(flag);
  if (!flag.argument) {
    job::refuse(source_, import_, flag.word.where,
                fmt::format("{} is no argument of Megatron-LM{}", named(flag),
                            nearest(flag.word.text.substr(2))));
    return;
  }
  switch (flag.argument->effect) {
    case Effect::nothing:
      import_.unused.push_back(text);
      break;
    case Effect::means:
      if (!used_.contains(flag.argument->name)) import_.unused.push_back(text);
      break;
    case Effect::slight:
      import_.slight.push_back(fmt::format("{}: {}", text, flag.argument->note));
      break;
    case Effect::refused: {
      const std::string value = flag.values.empty() ? std::string() : flag.values.front().text;
      if (is_harmless(*flag.argument, value))
        import_.unused.push_back(text);
      else
        job::refuse(source_, import_, flag.word.where,
                    fmt::format("{} cannot be said: {}", text, flag.argument->note));
    }
  }
}

bool Flags::accept(const std::string& name, std::string_view value) {
  const auto found = flags_.find(name);
  if (found == flags_.end()) return false;
  const std::vector<job::Word>& values = found->second.values;
  const bool fits = value.empty() ? values.empty() : values.size() == 1 && values[0].text == value;
  if (fits) used_.insert(name);
  return fits;
}

void Flags::refuse_unused(std::string_view meaning, const std::string& why) {
  for (const std::string& name : order_) {
    const Flag& flag = flags_.at(name);
    if (flag.argument && flag.argument->effect == Effect::means &&
        flag.argument->note.starts_with(meaning) && !used_.contains(name))
      job::refuse(source_, import_, flag.word.where,
                  fmt::format("{} cannot be said: {}", written(flag), why));
  }
}

void Flags::review() {
  check_releases();
  for (const std::string& name : order_) review_one(flags_.at(name));
}

std::string Flags::latest() const {
  std::string latest = "9999-99";
  for (const auto& [name, flag] : flags_)
    if (flag.argument) latest = std::min(latest, std::string(flag.argument->to));
  return latest;
}

}  // namespace pipewright::megatron
