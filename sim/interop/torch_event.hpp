// One event of a trace of PyTorch's profiler: the members that matter, out of its text.
//
// The text is read through once and no document is made of it: of millions of events most of the
// time would go into that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pipewright::interop {

struct TorchEvent {
  std::string phase, name;  ///< empty where they are no texts
  std::optional<double> start_us, length_us;
  // Whole numbers, or texts that are such.
  std::optional<int64_t> row;                  ///< of the picture: a thread, or a stream
  std::optional<int64_t> correlation, stream;  ///< of its arguments
  bool names_collective = false;               ///< whether its arguments do

  /// Returns whether `text` is JSON. What the event was before is forgotten.
  bool read(std::string_view text);
};

}  // namespace pipewright::interop
