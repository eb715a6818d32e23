#include "report/text/draws.hpp"

#include <fmt/format.h>

namespace pipewright {

std::string draws_line(int seeds) {
  if (seeds == 0) return {};
  return fmt::format("Each time is the median of {} draws.\n", seeds);
}

}  // namespace pipewright
