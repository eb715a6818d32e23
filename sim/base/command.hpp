// Runs a user's own command: its input given, its output taken, and nothing it does can make us
// wait or grow without bound.
#pragma once

#include <string>
#include <string_view>

#include "base/units.hpp"

namespace pipewright {

struct CommandLimits {
  Time time = milliseconds(60'000);
  Bytes output = 64 * MiB;
};

/// The outcome of a command that was started.
struct CommandRun {
  enum class End : uint8_t {
    exited,     // code: its exit status
    killed,     // code: the signal
    timed_out,  // it and all it started are killed
    too_much,   // the same, for more output than the limit
  };
  End end = End::exited;
  int code = 0;
  std::string output;     ///< its standard output
  std::string complaint;  ///< the end of its standard error, at most 1 KiB
};

/// Runs `command` by /bin/sh with `input` as its standard input. Throws Failure when it cannot be
/// started at all. The clock is only looked at for the time limit.
CommandRun run_command(const std::string& command, std::string_view input,
                       const CommandLimits& limits = {});

/// "ended with exit status 3", "was killed by signal 9", "took longer than 60 s", ...
std::string describe(const CommandRun& run, const CommandLimits& limits);

}  // namespace pipewright
