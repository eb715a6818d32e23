// Options that several commands share.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>

#include "cli/command.hpp"
#include "machine/run_options.hpp"
#include "result/run_result.hpp"
#include "simulate/run.hpp"

namespace pipewright::cli {

namespace options = boost::program_options;

/// Where the forms of an outcome go: files, `-` for standard output, or nowhere.
struct Outputs {
  std::string json, trace, csv, html, folder;
  bool quiet = false;
  std::string format = "text";  ///< on standard output
};

/// --set, --json, --trace, --csv, -o, --quiet, --jobs, --seed, --no-fold and the like.
struct CommonOptions : Outputs {
  std::vector<std::string> assignments;
  RunOptions run;
};

/// Declares the options of CommonOptions in `description`.
void add_common(options::options_description& description, CommonOptions& common);

/// Declares --format in `description`.
void add_format(options::options_description& description, Outputs& outputs);

/// Throws InputError where an output was asked for, on behalf of a command that writes no results.
void refuse_outputs(const CommonOptions& common, std::string_view command);

/// Parses `arguments`; positional words go to the option `positional`, at most `most` of them.
/// Throws InputError for anything that is not known.
options::variables_map parse(const Arguments& arguments,
                             const options::options_description& description,
                             const char* positional, int most);

/// Returns the document that the user named: a file, `-`, or a name of the catalogue's `kind`.
config::Value load_document(const std::string& name, std::string_view kind,
                            const Environment& environment);

/// Returns the experiment that the user named, with --set applied.
config::Value load_experiment(const std::string& name, const std::vector<std::string>& assignments,
                              const Environment& environment);

/// The value of --schedules: names separated by commas, or a YAML list.
std::vector<config::Value> read_schedules(const std::string& text);

}  // namespace pipewright::cli
