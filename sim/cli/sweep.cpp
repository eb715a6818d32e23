#include "base/launcher.hpp"
#include "cli/help.hpp"
#include "cli/live.hpp"
#include "cli/registry.hpp"
#include "cli/sweep_request.hpp"

namespace pipewright::cli {
namespace {

int sweep(const Arguments& arguments, const Environment& environment) {
  if (started_by_launcher()) {
    Arguments words{"sweep"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    start_live(words);
  }
  return run_sweep(read_sweep(arguments, environment), environment);
}

std::unique_ptr<Outcome> ask(const Arguments& arguments, const Environment& environment) {
  return swept(read_sweep(arguments, environment), environment);
}

}  // namespace

const Command command::sweep_command{
    .name = "sweep",
    .help = help_sweep,
    .run = sweep,
    .ask = ask,
    .words = [](const config::Catalogue& catalogue) { return catalogue.names("studies"); }};

}  // namespace pipewright::cli
