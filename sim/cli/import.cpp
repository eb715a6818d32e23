#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/tell.hpp"
#include "base/text.hpp"
#include "cli/document_kind.hpp"
#include "cli/formats_help.hpp"
#include "cli/help.hpp"
#include "cli/live.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "cli/yaml_file.hpp"
#include "config/emit.hpp"
#include "convert/formats/job_import.hpp"
#include "convert/job/carried.hpp"
#include "convert/job/rescale.hpp"
#include "interop/words.hpp"
#include "report/io/atomic_file.hpp"

namespace pipewright::cli {
namespace {

using convert::Format;

/// Says what a file without a KIND was taken for.
void tell_kind(const std::string& file, const Format& format) {
  tell("{}: taken for {}, {}\n", file, format.name, format.summary);
}

/// Becomes pipewright-live where that is what imports `arguments`.
void import_live(const Arguments& arguments) {
  if (arguments.empty()) return;
  const Format* said = convert::find_format(arguments[0]);
  const Format* format = said ? said : convert::format_of(arguments[0]);
  if (!format || format->reading.live.empty()) return;
  if (!said) tell_kind(arguments[0], *format);
  Arguments words = format->reading.live;
  words.insert(words.end(), arguments.begin() + (said ? 1 : 0), arguments.end());
  start_live(words);
}

/// The options of all formats: which of them a format has is seen once its name is known.
void add_options(options::options_description& description) {
  for (const Format* format : convert::imported_formats())
    for (const convert::Option& option : format->reading.options) {
      const std::string name(option.name);
      if (description.find_nothrow(name, false)) continue;
      if (option.argument.empty())
        description.add_options()(name.c_str(), options::bool_switch());
      else
        description.add_options()(name.c_str(), options::value<std::vector<std::string>>());
    }
}

const Format& format_named(const std::string& name) {
  const std::vector<std::string_view> names = names_of(convert::imported_formats());
  if (std::find(names.begin(), names.end(), name) != names.end())
    return *convert::find_format(name);
  throw InputError(fmt::format("cannot import '{}'; there are: {}{}", name, join(names),
                               did_you_mean(name, names)));
}

bool has_option(const Format& format, std::string_view name) {
  const std::vector<convert::Option>& own = format.reading.options;
  return std::any_of(own.begin(), own.end(),
                     [&](const convert::Option& option) { return option.name == name; });
}

/// `option` was given, but `format` has none of that name.
[[noreturn]] void fail_other(std::string_view option, const Format& format) {
  std::vector<std::string_view> having;
  for (const Format* other : convert::imported_formats())
    if (has_option(*other, option)) having.push_back(other->name);
  if (having.empty()) throw InputError(fmt::format("unknown option '--{}'", option));
  throw InputError(
      fmt::format("--{} is not for 'import {}', but for {}", option, format.name, join(having)));
}

/// Takes the values of an option. Only some may be given several times.
void take_option(const convert::Option& option, const options::variable_value& value,
                 convert::ImportRequest& request) {
  const std::string name(option.name);
  if (option.argument.empty()) {
    if (value.as<bool>()) request.options[name] = {};
    return;
  }
  request.options[name] = value.as<std::vector<std::string>>();
  if (request.options[name].size() > 1 && !option.repeats)
    throw InputError(fmt::format("--{} is given twice", name));
}

/// The options of `format` that were given; those of others are wrong.
void take_options(const options::variables_map& values, const Format& format,
                  convert::ImportRequest& request) {
  const std::vector<convert::Option>& own = format.reading.options;
  for (const auto& [name, value] : values) {
    if (name == "words" || name == "output" || name == "set") continue;
    const auto found = std::find_if(
        own.begin(), own.end(), [&](const convert::Option& option) { return option.name == name; });
    const auto* const truth = boost::any_cast<bool>(&value.value());
    if (found != own.end())
      take_option(*found, value, request);
    else if (!truth || *truth)
      fail_other(name, format);
  }
}

/// Tells whether a file holds nothing but blanks.
bool is_blank(const std::string& path) {
  std::ifstream file(path);
  return file.is_open() && (file >> std::ws).eof();
}

/// Returns the format that the first file looks like, where no KIND is said.
const Format& recognised(const std::vector<std::string>& words) {
  if (words.empty() || convert::find_format(words[0]))
    throw InputError("import needs a KIND and a FILE, or a FILE that says what it is");
  std::error_code ignored;
  if (!std::filesystem::exists(words[0], ignored))
    throw UnreadableFile({}, words[0], fmt::format("cannot read file '{}'", words[0]));
  const Format* format = convert::format_of(words[0]);
  if (format && format->reading.run) {
    tell_kind(words[0], *format);
    return *format;
  }
  const bool is_folder = std::filesystem::is_directory(words[0], ignored);
  if (!is_folder && is_blank(words[0])) throw InputError({words[0], 1, 1}, "is empty");
  throw InputError(fmt::format("'{}'{} looks like none of {}", words[0],
                               is_folder ? " is a folder, and" : "",
                               join(names_of(convert::imported_formats()))));
}

/// Returns the comments that `text` begins with, but for what it carries and for what `assignments`
/// say in place of an assumption.
std::string head_of(std::string_view text, const std::vector<std::string>& assignments) {
  std::string head;
  while (text.starts_with('#')) {
    const std::string_view line = interop::take_line(text);
    if (!job::is_said(line, assignments) && !line.starts_with(job::carried_mark))
      head += fmt::format("{}\n", line);
  }
  return head;
}

/// Lays `assignments` over what was imported; what follows from them stands among its comments.
std::string assigned(const std::string& text, const std::vector<std::string>& assignments,
                     const Environment& environment) {
  config::Value document = config::parse(text, "what was imported");
  config::Value carried = job::carried_in(text, "what was imported");
  std::string head = head_of(text, assignments);
  for (const std::string& note :
       job::rescale(document, carried, assignments, environment.catalogue))
    head += fmt::format("# assumed: {}\n", note);
  return head + job::carried_comments(carried) + config::to_yaml(document);
}

bool says_kind(const std::vector<std::string>& words) {
  std::error_code ignored;
  return words.size() > 1 && !std::filesystem::exists(words[0], ignored);
}

int import_file(const Arguments& arguments, const Environment& environment) {
  import_live(arguments);
  options::options_description description;
  std::vector<std::string> words, assignments;
  convert::ImportRequest request;
  auto add = description.add_options();
  add("words", options::value(&words));
  add("output,o", options::value(&request.out)->default_value("-"));
  add("set", options::value(&assignments)->composing());
  add_options(description);
  const options::variables_map values = parse(arguments, description, "words", -1);
  const bool said = says_kind(words) || (words.size() > 1 && convert::find_format(words[0]));
  const Format& format = said ? format_named(words[0]) : recognised(words);
  if (said) words.erase(words.begin());
  take_options(values, format, request);
  if (!format.reading.run)
    throw InputError(fmt::format("'{}' must be the first word", format.name));
  request.file = words.front();
  request.more.assign(words.begin() + 1, words.end());
  if (!request.more.empty() && !format.reading.takes_several)
    throw InputError(fmt::format("'{}': import {} takes one file", request.more[0], format.name));
  std::string text = format.reading.run(request);
  if (!assignments.empty()) text = assigned(text, assignments, environment);
  const config::Value document = config::parse(text, request.out);
  if (document.is_map())
    write_yaml(request.out, text, name_of(kind_of(document, environment.catalogue)));
  else  // a table, whose readers know no comments
    write_file(request.out, text);
  return 0;
}

}  // namespace

const Command command::import_command{.name = "import",
                                      .help = help_import,
                                      .run = import_file,
                                      .explain = explain_import,
                                      .words = [](const config::Catalogue&) {
                                        const std::vector<std::string_view> kinds =
                                            names_of(convert::imported_formats());
                                        return std::vector<std::string>(kinds.begin(), kinds.end());
                                      }};

}  // namespace pipewright::cli
