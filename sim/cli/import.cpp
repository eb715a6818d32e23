#include <fmt/format.h>

#include "cli/help.hpp"
#include "cli/live.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "report/atomic_file.hpp"
#include "schedule/torch_csv.hpp"

namespace pipewright::cli {
namespace {

int import_file(const Arguments& arguments, const Environment&) {
  // A profile is fitted, and fits are the live program's business.
  if (!arguments.empty() && arguments[0] == "nccl-tests") {
    Arguments words = {"fit", "nccl"};
    words.insert(words.end(), arguments.begin() + 1, arguments.end());
    start_live(words);
  }
  options::options_description description;
  std::vector<std::string> words;
  std::string out;
  auto add = description.add_options();
  add("words", options::value(&words));
  add("output,o", options::value(&out)->default_value("-"));
  parse(arguments, description, "words", 2);
  if (words.size() != 2) throw InputError("import needs a KIND and a FILE");
  config::as_choice(config::scalar(words[0]), {"torch-csv", "nccl-tests"});
  const schedule::Schedule schedule =
      schedule::read_torch_csv(config::read_file(words[1]), words[1]);
  write_file(out, schedule::write_torch_csv(schedule, config::scalar(words[1])));
  return 0;
}

}  // namespace

const Command command::import_command{"import", help_import, import_file};

}  // namespace pipewright::cli
