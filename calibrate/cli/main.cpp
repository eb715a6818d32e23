// pipewright-live: the commands that touch a live machine. 'pipewright' starts it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "calibrate/cli/calibrate.hpp"
#include "calibrate/cli/claim.hpp"
#include "calibrate/cli/fit_kernels.hpp"
#include "calibrate/cli/fit_nccl.hpp"
#include "calibrate/cli/replay.hpp"
#include "calibrate/cli/sweep.hpp"
#include "live_help.hpp"

namespace pipewright::cli {
namespace {

bool wants(const Arguments& words, std::initializer_list<std::string_view> command) {
  return words.size() >= command.size() &&
         std::equal(command.begin(), command.end(), words.begin());
}

/// A command of one word or two, its help and what runs it.
struct Live {
  std::initializer_list<std::string_view> words;
  std::string_view help;
  int (*run)(const Arguments&, const Environment&);
};

int run(const Arguments& words) {
  const Live commands[] = {{{"calibrate"}, help_calibrate, calibrate},
                           {{"replay"}, help_replay, run_replay},
                           {{"sweep"}, help_sweep, sweep_as_process},
                           {{"claim"}, help_claim, print_claim},
                           {{"fit", "kernels"}, help_fit_kernels, fit_kernels},
                           {{"fit", "nccl"}, help_fit_nccl, fit_nccl}};
  for (const Live& command : commands) {
    if (!wants(words, command.words)) continue;
    const Arguments arguments(words.begin() + static_cast<long>(command.words.size()), words.end());
    for (const std::string& word : arguments) {
      if (word != "--help" && word != "-h") continue;
      fmt::print("{}", command.help);
      return 0;
    }
    const char* path = std::getenv("PIPEWRIGHT_PATH");
    return command.run(arguments, {config::Catalogue(path ? path : "")});
  }
  throw InputError(
      "pipewright-live knows these commands: calibrate, replay, claim, fit kernels, fit nccl, and "
      "sweep under mpirun");
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
