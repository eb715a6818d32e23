// pipewright-live: the commands that touch a live machine. 'pipewright' starts it.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "calibrate/cli/replay.hpp"
#include "live_help.hpp"

namespace pipewright::cli {
namespace {

int run(const Arguments& words) {
  if (words.empty() || words[0] != "replay")
    throw InputError("pipewright-live knows one command so far: replay");
  for (const std::string& word : words) {
    if (word != "--help" && word != "-h") continue;
    fmt::print("{}", help_replay);
    return 0;
  }
  const char* path = std::getenv("PIPEWRIGHT_PATH");
  return run_replay({words.begin() + 1, words.end()}, {config::Catalogue(path ? path : "")});
}

int report(const std::string& line, int status) {
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", line);
  return status;
}

}  // namespace
}  // namespace pipewright::cli

int main(int argc, char** argv) {
  using namespace pipewright;
  try {
    return cli::run({argv + 1, argv + argc});
  } catch (const InputError& error) {
    return cli::report(error.what(), 2);
  } catch (const std::exception& error) {
    return cli::report(fmt::format("error: {}", error.what()), 1);
  }
}
