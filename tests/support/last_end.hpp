// When a run is over.
#pragma once

#include <algorithm>

#include "engine/timeline.hpp"

namespace pipewright::test {

/// The end of the last of all spans.
inline Time last_end(const Timeline& timeline) {
  Time end;
  for (const Span& span : timeline.spans) end = std::max(end, span.end);
  return end;
}

}  // namespace pipewright::test
