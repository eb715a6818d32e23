#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "base/text.hpp"
#include "cli/other_kind.hpp"
#include "cli/output_files.hpp"
#include "config/emit.hpp"

namespace pipewright::cli {

void add_common(options::options_description& description, CommonOptions& common) {
  auto add = description.add_options();
  add("set", options::value(&common.assignments)->composing());
  add("json", options::value(&common.json));
  add("trace", options::value(&common.trace));
  add("csv", options::value(&common.csv));
  add("html", options::value(&common.html));
  add("output,o", options::value(&common.folder));
  add("quiet,q", options::bool_switch(&common.quiet));
  add("seed", options::value(&common.run.seed)->default_value(0));
  add("jobs", options::value<int>()->default_value(0));
  add("if-free", options::bool_switch(&common.run.if_free));
  add("no-fold", options::bool_switch()->notifier([&](bool off) {
    if (off) common.run.fold = common.run.fold_micro_batches = false;
  }));
  add("every-micro-batch", options::bool_switch()->notifier([&](bool every) {
    if (every) common.run.fold_micro_batches = false;
  }));
  add("expand-collectives", options::bool_switch(&common.run.expand_collectives));
  add("allow-commands", options::bool_switch(&common.run.allow_commands));
}

void add_format(options::options_description& description, Outputs& outputs) {
  const auto check = [](const std::string& format) {
    config::as_choice(config::scalar(format), {"text", "json", "csv", "markdown"});
  };
  description.add_options()("format", options::value(&outputs.format)->notifier(check));
}

namespace {

/// How an option of which `typed` is the beginning is written: as its letter where it has one.
std::string begun_option(const options::options_description& description,
                         const std::string& typed) {
  constexpr size_t shortest = 4;  // two dashes and two letters
  if (typed.size() < shortest) return {};
  for (const auto& known : description.options())
    if (("--" + known->long_name()).starts_with(typed))
      return known->canonical_display_name(options::command_line_style::allow_dash_for_short);
  return {};
}

[[noreturn]] void fail_unknown(const options::options_description& description,
                               const char* positional, const std::string& option) {
  if (const std::string begun = begun_option(description, option); !begun.empty())
    throw InputError(fmt::format("unknown option '{}'; did you mean '{}'?", option, begun));
  std::vector<std::string> names;
  for (const auto& known : description.options())
    if (!positional || known->long_name() != positional) names.push_back("--" + known->long_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw InputError(fmt::format("unknown option '{}'{}", option, did_you_mean(option, views)));
}

/// The values that an option takes whose text could not be read: "a whole number".
const char* right_value(const options::options_description& description,
                        const std::string& option) {
  const std::string name = option.substr(option.find_first_not_of('-'));
  const auto* known = description.find_nothrow(name, false);
  const auto semantic = known ? known->semantic() : nullptr;
  const auto* typed = dynamic_cast<const options::typed_value_base*>(semantic.get());
  return typed && typed->value_type() == typeid(double) ? "a number" : "a whole number";
}

/// Boost takes a number below zero for a large one.
void refuse_negative_seed(const options::parsed_options& parsed) {
  for (const auto& option : parsed.options)
    if (option.string_key == "seed" && !option.value.empty() &&
        option.value.front().starts_with('-'))
      throw InputError(
          fmt::format("--seed {}: must be a whole number from 0", option.value.front()));
}

/// Values that are wrong for every command that takes the option.
void check_values(const options::variables_map& values) {
  constexpr int most_jobs = 1024;
  if (values.contains("jobs")) {
    const int jobs = values["jobs"].as<int>();
    if (jobs < 0 || jobs > most_jobs)
      throw InputError(
          fmt::format("--jobs {}: must be from 0 (as many as processors) to {}", jobs, most_jobs));
  }
  check_output_files(values);
}

}  // namespace

void refuse_outputs(const CommonOptions& common, std::string_view command) {
  const std::pair<const char*, const std::string*> outputs[] = {{"--json", &common.json},
                                                                {"--trace", &common.trace},
                                                                {"--csv", &common.csv},
                                                                {"--html", &common.html}};
  for (const auto& [option, file] : outputs)
    if (!file->empty()) throw InputError(fmt::format("{} writes no {}", command, option));
}

options::variables_map parse(const Arguments& arguments,
                             const options::options_description& description,
                             const char* positional, int most) {
  namespace style = options::command_line_style;
  options::positional_options_description words;
  if (most != 0) words.add(positional, most);
  options::variables_map values;
  try {
    // No guessing: an abbreviated option is an unknown one.
    const int exact = style::unix_style & ~style::allow_guessing;
    const options::parsed_options parsed = options::command_line_parser(arguments)
                                               .options(description)
                                               .positional(words)
                                               .style(exact)
                                               .run();
    refuse_negative_seed(parsed);
    options::store(parsed, values);
    options::notify(values);
    check_values(values);
  } catch (const options::unknown_option& error) {
    fail_unknown(description, positional, error.get_option_name());
  } catch (const options::too_many_positional_options_error&) {
    throw InputError("too many arguments: a list has commas and no spaces, or quotes around it");
  } catch (const options::invalid_option_value& error) {
    throw InputError(fmt::format("{}; it must be {}", error.what(),
                                 right_value(description, error.get_option_name())));
  } catch (const options::error& error) {
    throw InputError(error.what());
  }
  return values;
}

namespace {

/// A model is no experiment, but what a newcomer has: the message says what to write.
void refuse_model(const std::string& name) {
  namespace fs = std::filesystem;
  constexpr std::string_view file = "config.json";  // Hugging Face's name for it
  std::error_code error;
  const bool is_file = fs::path(name).filename() == file && fs::is_regular_file(name, error);
  if (!is_file && !fs::exists(fs::path(name) / file, error)) return;
  const char* here = name.find('/') == std::string::npos ? "./" : "";
  throw InputError(
      fmt::format("'{0}' is a {2} of a model: write a file with 'model: {1}{0}', a cluster, a "
                  "batch and a schedule",
                  name, here, is_file ? "configuration" : "folder"));
}

/// Programs of other tools are a part of an experiment, which says what they run on.
void refuse_program(const std::string& name) {
  if (name.ends_with(".goal"))
    throw InputError(fmt::format(
        "'{0}' is a program in GOAL: write a file with 'trace: {{goal: {0}}}' and a cluster, which "
        "'pipewright import goal {0} -o FILE.yaml' does",
        name));
}

/// Tells whether `name` is that of a file, a link that leads nowhere included. A folder is told as
/// what it is, where it has no name of the catalogue.
bool is_there(const std::string& name, std::string_view kind, const Environment& environment) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_regular_file(name, ignored)) return true;
  return fs::exists(fs::symlink_status(name, ignored)) &&
         std::ranges::count(environment.catalogue.names(kind), name) == 0;
}

}  // namespace

config::Value load_document(const std::string& name, std::string_view kind,
                            const Environment& environment) {
  if (name == "-" && environment.document) return *environment.document;
  if (kind == "experiments") refuse_model(name);
  if (kind == "experiments") refuse_program(name);
  const bool file = name == "-" || config::is_path(name) || is_there(name, kind, environment);
  if (!file) return environment.catalogue.load(kind, config::scalar(name));
  config::Value document = config::parse_file(name);
  if (document.is_null()) document.fail("is empty: YAML is expected");
  return document;
}

config::Value load_experiment(const std::string& name, const std::vector<std::string>& assignments,
                              const Environment& environment) {
  config::Value experiment = load_document(name, "experiments", environment);
  refuse_other_kind(experiment, name, DocumentKind::experiment, environment.catalogue);
  for (const std::string& assignment : assignments) config::set_path(experiment, assignment);
  return experiment;
}

std::vector<config::Value> read_schedules(const std::string& text) {
  const size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::string_view begun = std::string_view(text).substr(first);
  const bool is_list = begun.starts_with('[') || begun.starts_with("- ");
  config::Value list = config::parse(is_list ? text : "[" + text + "]", "--schedules");
  if (!list.is_list() || list.items.empty())
    list.fail("--schedules needs names separated by commas, or a YAML list");
  std::set<std::string> seen;
  for (const config::Value& one : list.items)
    if (const std::string written = config::to_yaml(one); !seen.insert(written).second)
      one.fail(fmt::format("{} is given twice",
                           one.is_scalar() ? fmt::format("'{}'", one.text) : "a schedule"));
  return list.items;
}

}  // namespace pipewright::cli
