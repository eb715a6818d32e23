#include "cli/asked_again.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace pipewright::cli {
namespace {

constexpr std::array<std::string_view, 4> outputs = {"--json", "--csv", "--html", "--format"};

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("-_./:=,+").find(c) != std::string_view::npos;
}

std::string in_shell(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + '\'';
}

}  // namespace

std::string asked_again(std::string_view command, const Arguments& arguments) {
  std::string text = "pipewright " + std::string(command);
  for (size_t k = 0; k < arguments.size(); ++k) {
    const std::string& word = arguments[k];
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    const bool is_output = std::ranges::find(outputs, name) != outputs.end();
    if (is_output && name.size() == word.size()) ++k;  // its value is a word of its own
    if (!is_output && word != "-q" && word != "--quiet") text += ' ' + in_shell(word);
  }
  return text;
}

}  // namespace pipewright::cli
