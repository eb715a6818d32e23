#include "convert/megatron/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace pipewright::megatron {
namespace {

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

/// Tells whether all its values are known, and words without quotes or spaces.
bool is_plain(const GivenFlag& flag) {
  return std::ranges::all_of(flag.values, [](const job::Word& value) {
    return !value.unknown && !value.text.empty() &&
           value.text.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
               "0123456789.,_+-=/:()[]*") == std::string::npos;
  });
}

/// Tells whether an argument that no release has is one of a logger, as forks add them.
bool is_of_logger(std::string_view name) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"wandb-", "tensorboard-", "mlflow-", "swanlab-"},
      [&](std::string_view logger) { return name.starts_with(logger); });
}

}  // namespace

Flags::Flags(const job::Launch& launch, const job::Source& source, job::Import& import)
    : source_(source),
      import_(import),
      spelled_(launch.spelled),
      given_(launch, import),
      program_(launch.program) {}

const GivenFlag* Flags::find(const std::string& name) {
  const GivenFlag* flag = given_.find(name);
  if (flag) used_.insert(name);
  return flag;
}

Where Flags::where(const std::string& name) const {
  const GivenFlag* flag = given_.find(name);
  if (!flag) return where();
  return (flag->values.empty() ? flag->word : flag->values.front()).where;
}

Where Flags::where() const {
  if (spelled_ || given_.names().empty()) return {source_.file, 1, 1};
  return given_.find(given_.names().front())->word.where;
}

std::string Flags::named(const std::string& name) const {
  if (const GivenFlag* flag = given_.find(name)) return flag->named();
  return spelled_ ? spelled_(name) : "--" + name;
}

void Flags::fail(const std::string& name, const std::string& message) const {
  throw InputError(where(name), fmt::format("{} {}", named(name), message));
}

void Flags::miss(const std::string& name) const {
  const size_t file = program_.find_last_of('/') + 1;
  const bool is_own = program_.empty() || program_.substr(file).starts_with("pretrain_");
  throw InputError(
      where(), fmt::format("{} is missing, which a training of Megatron-LM needs{}", named(name),
                           is_own ? "" : fmt::format("; '{}' may be no program of it", program_)));
}

void Flags::refuse(const std::string& name, const std::string& message) {
  job::refuse(source_, import_, where(name), fmt::format("{} {}", named(name), message));
}

bool Flags::has(const std::string& name) { return find(name) != nullptr; }

std::vector<std::string> Flags::texts(const std::string& name) {
  std::vector<std::string> all;
  const GivenFlag* flag = find(name);
  if (!flag) return all;
  for (const job::Word& value : flag->values) {
    if (value.unknown) job::fail_unknown(value, flag->named());
    all.push_back(value.text);
  }
  return all;
}

std::string Flags::written(const std::string& name) {
  const GivenFlag* flag = find(name);
  return flag && !flag->values.empty() ? flag->values.front().text : std::string();
}

std::optional<std::string> Flags::text(const std::string& name) {
  const std::vector<std::string> all = texts(name);
  if (all.empty()) return std::nullopt;
  return all.front();
}

std::optional<std::string> Flags::look(const std::string& name) const {
  const GivenFlag* flag = given_.find(name);
  if (!flag || flag->values.empty() || flag->values.front().unknown) return std::nullopt;
  return flag->values.front().text;
}

std::optional<std::string> Flags::said(const std::string& name) {
  std::optional<std::string> value = look(name);
  if (value) used_.insert(name);
  return value;
}

std::string Flags::of_model() {
  std::string text;
  for (const std::string& name : given_.names()) {
    const GivenFlag& flag = *given_.find(name);
    const Argument* argument = flag.argument;
    const bool is_of_it = argument && argument->goes == Goes::model && is_of_today(*argument);
    if (!is_of_it || used_.contains(name) || !is_plain(flag)) continue;
    used_.insert(name);
    note_idle(flag);
    text += fmt::format("{}--{}", text.empty() ? "" : " ", name);
    for (const job::Word& value : flag.values) text += ' ' + value.text;
  }
  return text;
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

void Flags::review_one(const std::string& name, const GivenFlag& flag) {
  const std::string text = flag.written();
  if (!flag.argument && is_of_logger(name)) {
    import_.unused.push_back(text);
    return;
  }
  if (!flag.argument) {
    job::refuse(source_, import_, flag.word.where,
                fmt::format("{} is no argument of Megatron-LM{}", flag.named(),
                            nearest(flag.word.text.substr(2))));
    return;
  }
  switch (flag.argument->effect) {
    case Effect::nothing:
    case Effect::means:
      if (used_.contains(flag.argument->name)) break;
      import_.unused.push_back(text);
      if (flag.argument->effect == Effect::nothing) note_idle(flag);
      break;
    case Effect::slight:
      import_.slight.push_back(fmt::format("{}: {}", text, flag.argument->note));
      if (flag.argument->goes != Goes::plan) note_idle(flag);
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

void Flags::note_idle(const GivenFlag& flag) {
  const std::string& said = flag.word.said;
  if (!said.empty()) import_.idle.push_back(said.substr(0, said.find(": ")));
}

bool Flags::accept(const std::string& name, std::string_view value) {
  const GivenFlag* flag = given_.find(name);
  if (!flag) return false;
  const std::vector<job::Word>& values = flag->values;
  const bool fits = value.empty() ? values.empty() : values.size() == 1 && values[0].text == value;
  if (fits) used_.insert(name);
  return fits;
}

void Flags::refuse_unused(std::string_view meaning, const std::string& why) {
  for (const std::string& name : given_.names()) {
    const GivenFlag& flag = *given_.find(name);
    if (flag.argument && flag.argument->effect == Effect::means &&
        flag.argument->note.starts_with(meaning) && used_.insert(name).second)
      job::refuse(source_, import_, flag.word.where,
                  fmt::format("{} cannot be said: {}", flag.written(), why));
  }
}

void Flags::check_releases() {
  const GivenFlag *first_gone = nullptr, *last_come = nullptr;
  for (const std::string& name : given_.names()) {
    const GivenFlag& flag = *given_.find(name);
    if (!flag.argument || flag.argument->from.empty() || !flag.word.said.empty()) continue;
    if (!first_gone || flag.argument->ends < first_gone->argument->ends) first_gone = &flag;
    if (!last_come || flag.argument->from > last_come->argument->from) last_come = &flag;
  }
  if (spelled_ || !first_gone || last_come->argument->from <= first_gone->argument->ends) return;
  import_.assumed.push_back(fmt::format(
      "no release of Megatron-LM has both {} (until {}) and {} (since {}): each means what it does "
      "in its own",
      first_gone->named(), first_gone->argument->ends, last_come->named(),
      last_come->argument->from));
}

void Flags::review() {
  check_releases();
  for (const std::string& name : given_.names()) review_one(name, *given_.find(name));
}

std::string Flags::latest() const {
  std::string latest = "9999-99";
  for (const std::string& name : given_.names())
    if (const Argument* argument = given_.find(name)->argument; argument && !argument->ends.empty())
      latest = std::min(latest, std::string(argument->ends));
  return latest;
}

}  // namespace pipewright::megatron
