#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/formats_help.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "cli/written_job.hpp"
#include "convert/job/counted_stages.hpp"

namespace pipewright::cli {
namespace {

using convert::Format;

const Format& format_named(const std::string& name) {
  const std::vector<std::string_view> names = names_of(convert::exported_formats());
  if (std::find(names.begin(), names.end(), name) == names.end())
    config::scalar(name).fail(
        fmt::format("'{}' must be one of {}{}", name, join(names), did_you_mean(name, names)));
  return *convert::find_format(name);
}

int export_file(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  options::options_description description;
  add_common(description, common);
  std::vector<std::string> words;
  bool partial = false;
  description.add_options()("words", options::value(&words))("partial",
                                                             options::bool_switch(&partial));
  parse(arguments, description, "words", 2);
  refuse_outputs(common, "export");
  if (words.size() != 2) throw InputError("export needs a KIND and an EXPERIMENT");
  const Format& format = format_named(words[0]);
  if (partial && !format.writing.takes_partial)
    throw InputError(fmt::format("--partial is for jobs of frameworks, not for {}", format.name));
  config::Value document = load_experiment(words[1], common.assignments, environment);
  if (format.writing.takes_partial)
    document = job::with_counted_stages(document, environment.catalogue);
  const Experiment experiment = read_experiment(resolve(document, environment.catalogue));
  const std::string out = common.folder.empty() ? "-" : common.folder;
  if (format.writing.has_prefix && out == "-")
    throw InputError(
        fmt::format("export {} writes a file for each rank: it needs -o PREFIX", format.name));
  write_as(format, {.experiment = experiment,
                    .catalogue = environment.catalogue,
                    .options = common.run,
                    .out = out,
                    .partial = partial,
                    .notes = notes_of_import(words[1], common.assignments),
                    .carried = carried_by_import(words[1])});
  return 0;
}

std::vector<std::string> kinds_and_experiments(const config::Catalogue& catalogue) {
  std::vector<std::string> words = catalogue.names("experiments");
  const std::vector<std::string_view> kinds = names_of(convert::exported_formats());
  words.insert(words.end(), kinds.begin(), kinds.end());
  return words;
}

}  // namespace

const Command command::export_command{.name = "export",
                                      .help = help_export,
                                      .run = export_file,
                                      .explain = explain_export,
                                      .words = kinds_and_experiments};

}  // namespace pipewright::cli
