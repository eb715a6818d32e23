// After jsrun's manual (IBM Spectrum LSF 10.1, Job Step Manager).
#include "convert/job/resource_sets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/words.hpp"

namespace pipewright::job {
namespace {

constexpr int64_t most_devices = 1'048'576;

bool is_jsrun(const Word& word) { return word.text == "jsrun" || word.text.ends_with("/jsrun"); }

/// Returns the value of `--name=N`, `--name N`, `-x N` and `-xN`, or nothing.
std::optional<Word> value_of(const std::vector<Word>& words, const std::string& name,
                             const std::string& letter) {
  for (size_t i = 0; i < words.size(); ++i) {
    Word word = words[i];
    if (word.text == name || word.text == letter)
      return i + 1 < words.size() ? std::optional(words[i + 1]) : std::nullopt;
    for (const std::string& start : {name + '=', letter}) {
      if (!word.text.starts_with(start) || (start == letter && word.text.starts_with("--")))
        continue;
      word.text.erase(0, start.size());
      return word;
    }
  }
  return std::nullopt;
}

std::optional<int64_t> number_of(const std::vector<Word>& words, const std::string& name,
                                 const std::string& letter) {
  const std::optional<Word> value = value_of(words, name, letter);
  if (!value) return std::nullopt;
  if (value->unknown) fail_unknown(*value, name + " of jsrun");
  const auto number = interop::number_of<int64_t>(value->text);
  if (!number || *number < 0 || *number > most_devices)
    throw InputError(value->where, fmt::format("{} needs a number, not '{}'", name, value->text));
  return number;
}

}  // namespace

bool read_resource_sets(const std::vector<Word>& launcher, Devices& devices) {
  const auto jsrun = std::find_if(launcher.begin(), launcher.end(), is_jsrun);
  if (jsrun == launcher.end()) return false;
  const std::vector<Word> words(jsrun + 1, launcher.end());
  const int64_t processes = number_of(words, "--tasks_per_rs", "-a").value_or(1);
  const auto sets = number_of(words, "--nrs", "-n");
  const auto on_host = number_of(words, "--rs_per_host", "-r");
  if (on_host && *on_host * processes > 0)
    devices.per_node = std::min(*on_host * processes, most_devices);
  if (sets && *sets * processes > 0) devices.all = std::min(*sets * processes, most_devices);
  return true;
}

}  // namespace pipewright::job
