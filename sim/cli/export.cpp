#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "convert/export_trace.hpp"
#include "interop/chakra.hpp"
#include "report/io/atomic_file.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "schedule/torch_csv.hpp"

namespace pipewright::cli {
namespace {

void export_files(const Experiment& experiment, const Environment& environment,
                  const CommonOptions& common, const std::string& prefix) {
  if (prefix == "-")
    throw InputError("export chakra writes a file for each rank: it needs -o PREFIX");
  export_chakra(experiment, environment.catalogue, common.run,
                [&](uint32_t rank, const std::string& contents) {
                  write_file(chakra::file_name(prefix, rank), contents);
                });
}

int export_file(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  options::options_description description;
  add_common(description, common);
  std::vector<std::string> words;
  description.add_options()("words", options::value(&words));
  parse(arguments, description, "words", 2);
  refuse_outputs(common, "export");
  if (words.size() != 2) throw InputError("export needs a KIND and an EXPERIMENT");
  const config::Value kind = config::scalar(words[0]);
  const size_t form = config::as_choice(kind, {"torch-csv", "goal", "chakra"});
  const config::Value document = load_experiment(words[1], common.assignments, environment);
  const Experiment experiment = read_experiment(resolve(document, environment.catalogue));
  const std::string out = common.folder.empty() ? "-" : common.folder;
  if (form == 2) {
    export_files(experiment, environment, common, out);
    return 0;
  }
  if (form == 1) {
    write_file(out, [&](std::ostream& stream) {
      export_goal(experiment, environment.catalogue, common.run, stream);
    });
    return 0;
  }
  const Prepared prepared = prepare(experiment, environment.catalogue, common.run);
  write_file(out, schedule::write_torch_csv(prepared.schedule, experiment.at("schedule")));
  return 0;
}

}  // namespace

const Command command::export_command{"export", help_export, export_file};

}  // namespace pipewright::cli
