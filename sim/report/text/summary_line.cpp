#include "report/text/summary_line.hpp"

#include <fmt/format.h>

namespace pipewright {

std::string summary_line(const char* label, const std::string& text) {
  return fmt::format("  {:<{}}{}\n", label, summary_indent - 2, text);
}

}  // namespace pipewright
