// The arguments of a launch as it lists them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace pipewright::megatron {

struct ArgumentLine {
  std::string name;   ///< without "--"
  std::string value;  ///< as Bash has it; empty for a flag
};

/// Returns values as Bash has to have them: quoted where a letter means something to it. A $NAME
/// stays one.
inline std::string in_bash(const std::string& values) {
  if (values.find_first_of("()[]*'\"$&;<>|\\`!?{}~#") == std::string::npos) return values;
  const char quote = values.find('$') == std::string::npos ? '\'' : '"';
  return quote + values + quote;
}

class ArgumentLines {
 public:
  void add(std::string_view name) { lines_.push_back({std::string(name), {}}); }
  template <class T>
  void add(std::string_view name, const T& value) {
    lines_.push_back({std::string(name), fmt::format("{}", value)});
  }
  void add(ArgumentLine line) { lines_.push_back(std::move(line)); }
  const std::vector<ArgumentLine>& lines() const { return lines_; }

  /// Returns a line of Bash for each argument.
  std::string text() const {
    std::string text;
    for (const ArgumentLine& line : lines_)
      text += fmt::format("    --{}{}{}\n", line.name, line.value.empty() ? "" : " ", line.value);
    return text;
  }

 private:
  std::vector<ArgumentLine> lines_;
};

}  // namespace pipewright::megatron
