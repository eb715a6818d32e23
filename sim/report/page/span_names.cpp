#include "report/page/span_names.hpp"

#include <charconv>

namespace pipewright {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_pass(char c) { return c >= 'A' && c <= 'Z'; }

}  // namespace

std::string name_pattern(std::string_view name, int32_t micro_batch) {
  std::string pattern;
  for (size_t i = 0; i < name.size();) {
    const bool is_number =
        i >= 2 && is_digit(name[i]) && is_pass(name[i - 1]) && is_digit(name[i - 2]);
    int32_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + i, name.data() + name.size(), number);
    if (!is_number || error != std::errc()) {
      pattern += name[i++];
      continue;
    }
    pattern += '{' + std::to_string(number - micro_batch) + '}';
    i = static_cast<size_t>(end - name.data());
  }
  return pattern;
}

}  // namespace pipewright
