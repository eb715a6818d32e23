#include "cli/run_program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/error.hpp"
#include "base/several_errors.hpp"
#include "base/tell.hpp"
#include "base/text.hpp"

namespace pipewright::cli {
namespace {

/// Opens what is closed of standard input, output and error: else the next file that is opened
/// would take its place, and get what is meant for it. What is written to a closed standard output
/// fails as before.
void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1) [[maybe_unused]]
      const int opened = open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

int report(std::string_view line, int status) {
  std::fflush(stdout);
  tell("{}\n", printable(line));
  return status;
}

constexpr char out_of_memory[] =
    "error: out of memory: the experiment is too large for this machine";

/// Ends the program where an exception is caught nowhere. The destructor of a library's value may
/// need memory; want of it is no mistake of the program.
[[noreturn]] void end_uncaught() {
  try {
    if (const std::exception_ptr uncaught = std::current_exception())
      std::rethrow_exception(uncaught);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s\n", out_of_memory);
    std::_Exit(1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: uncaught: %s\n", error.what());
  }
  std::abort();
}

}  // namespace

int run_program(const std::function<int()>& program) {
  hold_standard_streams();
  std::set_terminate(end_uncaught);
  try {
    const int status = program();
    // A reader that went away, or a full disk, is a failure too.
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw Failure("cannot write the output");
    return status;
  } catch (const InputError& error) {
    return report(in_one_line(error), 2);
  } catch (const std::bad_alloc&) {
    return report(out_of_memory, 1);
  } catch (const std::exception& error) {
    return report(fmt::format("error: {}", error.what()), 1);
  }
}

}  // namespace pipewright::cli
