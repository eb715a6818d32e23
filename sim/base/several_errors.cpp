#include "base/several_errors.hpp"

#include <algorithm>
#include <string_view>

namespace pipewright {

SeveralErrors::SeveralErrors(const InputError& first, const std::vector<std::string>& lines)
    : Misfit(first.where(), first.message()), lines_{first.what()} {
  for (const std::string& line : lines)
    if (std::ranges::find(lines_, line) == lines_.end()) lines_.push_back(line);
}

void throw_together(const std::vector<Misfit>& found) {
  if (found.empty()) return;
  std::vector<std::string> lines;
  for (const Misfit& one : found) lines.emplace_back(one.what());
  throw SeveralErrors(found.front(), lines);
}

std::vector<std::string> lines_of(const InputError& error) {
  if (const auto* several = dynamic_cast<const SeveralErrors*>(&error)) return several->lines();
  return {error.what()};
}

std::string in_one_line(const InputError& error) {
  constexpr std::string_view mark = "error: ";
  std::string text;
  for (const std::string& line : lines_of(error)) {
    const size_t message = line.find(mark);
    const bool is_further = !text.empty() && message != line.npos;
    text += text.empty() ? "" : "; and ";
    text += is_further ? line.substr(message + mark.size()) : line;
  }
  return text;
}

}  // namespace pipewright
