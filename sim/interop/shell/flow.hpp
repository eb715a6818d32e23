// Whether the next command of a script runs.
#pragma once

namespace pipewright::shell {

/// After exit, break, continue and return the commands that follow are passed over.
struct Flow {
  bool exited = false;
  bool failed = false;  ///< exit said so
  char jump = '\0';     ///< 'b'reak, 'c'ontinue, 'r'eturn

  bool stops() const { return exited || jump != '\0'; }

  /// Ends a round of a loop; returns whether there may be another.
  bool end_round() {
    const bool ends = exited || jump == 'b' || jump == 'r';
    if (jump != 'r') jump = '\0';
    return !ends;
  }

  /// Ends a function or a script that is sourced.
  void end_call() {
    if (jump == 'r') jump = '\0';
  }
};

}  // namespace pipewright::shell
