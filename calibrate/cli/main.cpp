// pipewright-live: the commands that touch a live machine. 'pipewright' starts it.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "calibrate/replay/replay.hpp"
#include "cli/options.hpp"
#include "live_help.hpp"
#include "report/atomic_file.hpp"
#include "report/trace.hpp"

namespace pipewright::cli {
namespace {

constexpr size_t most_ranks = 128;  // each is two threads or more

void require(const std::string& option, const std::string& value, std::string_view only) {
  if (value != only) {
    throw InputError(
        fmt::format("--{} '{}': only '{}' can be run by this version", option, value, only));
  }
}

int replay(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  options::options_description description;
  add_common(description, common);
  std::string name, backend, compute;
  auto add = description.add_options();
  add("experiment", options::value(&name)->default_value("example"));
  add("backend", options::value(&backend)->default_value("cpu"));
  add("compute", options::value(&compute)->default_value("timed"));
  parse(arguments, description, "experiment", 1);
  require("backend", backend, "cpu");
  require("compute", compute, "timed");
  const config::Value experiment = load_experiment(name, common.assignments, environment);
  Run predicted = run_experiment(experiment, environment.catalogue, common.run);
  if (predicted.program.ranks.size() > most_ranks) {
    throw InputError(fmt::format("{} ranks are too many for the threads of one process; at most {}",
                                 predicted.program.ranks.size(), most_ranks));
  }
  const replay::Replay result = replay::replay_timed(std::move(predicted));
  if (!common.json.empty()) write_file(common.json, replay::json_text(result));
  if (!common.trace.empty())
    write_file(common.trace, [&](std::ostream& out) { write_trace(result.measured, out); });
  if (!common.quiet && common.json != "-" && common.trace != "-")
    fmt::print("{}", replay::summary(result));
  return 0;
}

int run(const Arguments& words) {
  if (words.empty() || words[0] != "replay")
    throw InputError("pipewright-live knows one command so far: replay");
  for (const std::string& word : words) {
    if (word != "--help" && word != "-h") continue;
    fmt::print("{}", help_replay);
    return 0;
  }
  const char* path = std::getenv("PIPEWRIGHT_PATH");
  return replay({words.begin() + 1, words.end()}, {config::Catalogue(path ? path : "")});
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
