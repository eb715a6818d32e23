// Other tools' files by the name of their format: one file of this folder each.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.hpp"
#include "machine/run_options.hpp"

namespace pipewright::convert {

/// An option of 'import' that formats have: --name ARGUMENT, or --name where `argument` is empty.
struct Option {
  std::string_view name, argument;
  std::string_view help;  ///< one line or more
  bool repeats = false;   ///< it may be given several times
};

/// What the user wants to import.
struct ImportRequest {
  std::string file;  ///< or the prefix of several
  std::string out;   ///< where the result is going to lie; "-" is standard output
  /// Those that were given, by name, with their values.
  std::map<std::string, std::vector<std::string>, std::less<>> options;
  std::vector<std::string> more;  ///< further files, for formats that take several

  /// Empty where it was not given.
  std::string option(std::string_view name) const;
  bool has(std::string_view name) const { return options.contains(name); }
  std::vector<std::string> all(std::string_view name) const;
};

struct Import {
  std::string_view makes;  ///< half a line: what comes of a file
  std::string_view help;   ///< of 'import NAME --help'; may be empty
  /// Reads the file and returns the text of ours. Throws InputError for whatever is wrong with it.
  std::string (*run)(const ImportRequest& request) = nullptr;
  std::vector<Option> options;
  /// The words of 'pipewright-live' that import it, where that needs more than reading.
  std::vector<std::string> live;
  bool takes_several = false;  ///< files that belong together

  explicit operator bool() const { return run || !live.empty(); }
};

/// What the user wants to export.
struct ExportRequest {
  const Experiment& experiment;
  const config::Catalogue& catalogue;
  const RunOptions& options;
  std::string out;       ///< a file, "-" for standard output, or the prefix of several files
  bool partial = false;  ///< what cannot be said is left out, and listed
  std::vector<std::string>* remarks = nullptr;  ///< what the user is to know of the job
  bool is_trial = false;  ///< nothing is written: what cannot be said is told all the same
  /// What an import said of the job that the experiment was; it goes along in comments.
  std::vector<std::string> notes{};
  /// What that job said beside its experiment, by its format (convert/job/carried.hpp).
  config::Value carried{};
};

struct Export {
  std::string_view holds;  ///< half a line: what of an experiment goes out
  std::string_view help;   ///< of 'export NAME --help'; may be empty
  /// Writes the files. Throws InputError for what the format cannot say.
  void (*run)(const ExportRequest& request) = nullptr;
  bool has_prefix = false;  ///< one file a rank: standard output will not do
  bool takes_partial = false;
  /// KEY.PATH=VALUE of what the framework has one way for: so is a plan that is written for it.
  std::vector<std::string_view> settings;
  /// The schedules that such a plan may take, as --schedules has them; empty: all.
  std::string_view schedules;
  /// A small experiment, on links as an import assumes them, for tests: it is written, read and
  /// written, or run, again.
  std::string_view example;

  explicit operator bool() const { return run; }
};

/// The beginning of a file that is looked at first. What has so many bytes may go on.
inline constexpr size_t shortest_head = 1024;

struct Format {
  std::string_view name;     ///< as the command line has it: "torch-csv" in torch_csv.cpp
  std::string_view summary;  ///< half a line: whose file this is
  Import reading;
  Export writing;
  /// Whether a file looks like one, by its name and its first KiB, or else its first 256 (empty
  /// where there is no such file: it may be a prefix).
  bool (*recognises)(std::string_view head, const std::string& file) = nullptr;
  /// Reads any bytes as such a file and throws InputError where they are none; whatever else
  /// happens is a defect that fuzzing finds. Without it, `reading` is run on a file of the bytes.
  void (*fuzz)(std::string_view bytes) = nullptr;
};

/// All formats, in the order of the list in meson.build.
std::span<const Format* const> formats();
/// The format of that name, or nullptr.
const Format* find_format(std::string_view name);
/// Those that are read, or written.
std::vector<const Format*> imported_formats();
std::vector<const Format*> exported_formats();
/// The format that `file` looks like, or nullptr.
const Format* format_of(const std::string& file);

/// Reads `bytes` as Format::fuzz says.
void fuzz(const Format& format, std::string_view bytes);

}  // namespace pipewright::convert
