#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "report/io/atomic_file.hpp"

namespace pipewright::cli {
namespace {

/// Calls only what a signal handler may call.
void end(int) {
  remove_unfinished_files();
  // On a terminal the line of the progress goes, and the ^C that it shows.
  const std::string_view line = isatty(STDERR_FILENO) ? "\r\033[Kinterrupted\n" : "interrupted\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  _exit(interrupted_status);
}

}  // namespace

void end_on_interrupt() {
  struct sigaction action {};
  struct sigaction before {};
  sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;  // in the background of a script it stays ignored
  action.sa_handler = end;
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace pipewright::cli
