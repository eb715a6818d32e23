// Any bytes are a GOAL trace that runs or deadlocks, or an InputError; and the program as it ran
// runs again, without choices, in the same times.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "trace/trace.hpp"

namespace pipewright {
namespace {

void run(const goal::Goal& goal) {
  Prices prices;
  prices.transfer = [](int32_t, int32_t, Bytes bytes) { return picoseconds(bytes.count % 1000); };
  const TraceRun trace = run_trace(goal, prices);
  const Timeline again = run_longest_path(trace.program, trace.durations);
  for (size_t op = 0; op < again.spans.size(); ++op)
    ensure(again.spans[op].start == trace.timeline.spans[op].start, "an op starts at another time");
}

}  // namespace
}  // namespace pipewright

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  try {
    run(goal::parse({reinterpret_cast<const char*>(data), size}, "fuzz.goal"));
  } catch (const InputError&) {  // it is not GOAL, deadlocks, or takes longer than the clock counts
  }
  return 0;
}
