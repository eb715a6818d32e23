// What Ctrl-C does to a command.
#pragma once

namespace pipewright::cli {

constexpr int interrupted_status = 130;  // as shells say of a program that SIGINT ended

/// From now on SIGINT ends the program: one line on standard error, exit status 130, and of files
/// that are being written nothing stays. Whoever ends more gently sets a handler of its own.
void end_on_interrupt();

}  // namespace pipewright::cli
