// One event of a trace of PyTorch's profiler: the members that matter, out of its text.
//
// The text is read through once and no document is made of it: of millions of events most of the
// time would go into that. Most events are of no interest, which their first members tell: the
// others are not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_reader.hpp"

namespace pipewright::interop {

class TorchEvent {
 public:
  std::string category, phase, name;  ///< empty where they are no texts
  std::optional<double> start_us, length_us;
  // Whole numbers, or texts that are such.
  std::optional<int64_t> row;                  ///< of the picture: a thread, or a stream
  std::optional<int64_t> process;              ///< of what runs on the host
  std::optional<int64_t> correlation, stream;  ///< of its arguments
  bool names_collective = false;               ///< whether its arguments do

  /// Begins with the event that `text`, which must outlive the reading, says. What the event was
  /// before is forgotten.
  void begin(std::string_view text);
  /// Reads until the category is known or nothing is left. The rest may be no JSON.
  const std::string& read_category() { return read_until(category); }
  /// The same of the name.
  const std::string& read_name() { return read_until(name); }
  /// Tells whether what was read so far is no JSON.
  bool failed() const { return reader_.failed(); }
  /// Reads what is left and returns whether the whole text is JSON.
  bool read_rest();
  /// The same of a text by itself.
  bool read(std::string_view text) {
    begin(text);
    return read_rest();
  }

 private:
  const std::string& read_until(const std::string& known);
  void read_member();
  void read_arguments();
  void take(std::string& text);
  void take(std::optional<double>& time);
  void take(std::optional<int64_t>& whole);

  JsonReader reader_;
};

}  // namespace pipewright::interop
