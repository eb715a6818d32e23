// The text of Chrome trace events, written as it is made: a trace is never whole in memory.
//
// Format: the JSON object format of the Trace Event Format, as chrome://tracing and ui.perfetto.dev
// read it. Times are microseconds; their six decimals are exactly the clock's picoseconds.
// Perfetto keeps whole nanoseconds, rounded down, so neighbours on a track stay neighbours.
#pragma once

#include <string>
#include <string_view>

#include "base/units.hpp"
#include "report/io/text_stream.hpp"

namespace pipewright {

/// A row of the trace: a thread of a process.
struct Track {
  uint32_t process = 0, thread = 0;
};

/// The events go to the stream in the order of the calls.
class TraceEvents {
 public:
  /// `title` is shown with the trace's metadata.
  TraceEvents(std::ostream& out, std::string_view title);

  /// A rank of a run.
  struct Process {
    std::string name;      ///< shown in order of the numbers of processes
    std::string_view run;  ///< of several in a trace
    int pipeline = 0, tensor = 0, data = 0;
    int device = 0;
    int devices = 1;  ///< that it stands for
  };
  void name_process(uint32_t number, const Process& process);
  /// Threads are shown in the order of their numbers.
  void name_thread(Track track, std::string_view name);
  /// This begins a slice; argument() adds to what is shown of it, end_slice() ends it. `category`
  /// and `name` are plain text: no quotes, no control characters.
  void begin_slice(Track track, Time start, Time end, std::string_view category,
                   std::string_view name);
  /// `key` is plain text, as above.
  void argument(std::string_view key, int64_t value);
  void end_slice() { text_ << "}}"; }
  /// What a point is to its arrow.
  enum class Arrow : char { starts = 's', passes = 't', ends = 'f' };
  /// This writes one point of an arrow between slices; all points with one `id` belong together.
  /// The point sticks to the slice of the track that holds `at`, which must have been written
  /// before.
  void arrow(Arrow phase, uint32_t id, Track track, Time at);
  /// The counter "device memory" of the process takes this value.
  void memory(uint32_t process, Time at, Bytes bytes);
  /// The counter "account: NAME" of the process takes this value. `name` is plain text.
  void account(uint32_t process, std::string_view name, Time at, Time value);
  /// This ends the document. Nothing may be written after it.
  void finish();

 private:
  TextStream& event(char phase);
  void microseconds(Time time);

  TextStream text_;
  bool first_ = true;           ///< of the events
  bool first_argument_ = true;  ///< of the slice
};

}  // namespace pipewright
