#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/formats_help.hpp"
#include "cli/help.hpp"
#include "cli/live.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "report/io/atomic_file.hpp"

namespace pipewright::cli {
namespace {

using convert::Format;

/// Becomes pipewright-live where that is what imports `arguments`.
void import_live(const Arguments& arguments) {
  const Format* format = arguments.empty() ? nullptr : convert::find_format(arguments[0]);
  if (!format || format->reading.live.empty()) return;
  Arguments words = format->reading.live;
  words.insert(words.end(), arguments.begin() + 1, arguments.end());
  start_live(words);
}

/// The options of all formats: which of them a format has is seen once its name is known.
void add_options(options::options_description& description) {
  for (const Format* format : convert::imported_formats())
    for (const convert::Option& option : format->reading.options) {
      const std::string name(option.name);
      if (!description.find_nothrow(name, false))
        description.add_options()(name.c_str(), options::value<std::string>());
    }
}

const Format& format_named(const std::string& name) {
  const std::vector<std::string_view> names = names_of(convert::imported_formats());
  if (std::find(names.begin(), names.end(), name) != names.end())
    return *convert::find_format(name);
  throw InputError(fmt::format("cannot import '{}'{}; there are: {}", name,
                               did_you_mean(name, names), join(names)));
}

/// `option` was given, but it is another format's.
[[noreturn]] void fail_other(std::string_view option) {
  for (const Format* format : convert::imported_formats()) {
    std::vector<std::string> own;
    bool has = false;
    for (const convert::Option& one : format->reading.options) {
      own.push_back(fmt::format("--{}", one.name));
      has = has || one.name == option;
    }
    if (!has) continue;
    const std::vector<std::string_view> words(own.begin(), own.end());
    throw InputError(fmt::format("{} {} for 'import {}'", join(words, " and "),
                                 words.size() > 1 ? "are" : "is", format->name));
  }
  throw InputError(fmt::format("unknown option '--{}'", option));
}

/// The options of `format` that were given; those of others are wrong.
void take_options(const options::variables_map& values, const Format& format,
                  convert::ImportRequest& request) {
  const std::vector<convert::Option>& own = format.reading.options;
  for (const auto& [name, value] : values) {
    if (name == "words" || name == "output") continue;
    const auto is_own = [&](const convert::Option& option) { return option.name == name; };
    if (std::none_of(own.begin(), own.end(), is_own)) fail_other(name);
    request.options[name] = value.as<std::string>();
  }
}

/// A file by itself may tell what it is.
[[noreturn]] void fail_words(const std::vector<std::string>& words) {
  const Format* format = words.size() == 1 ? convert::format_of(words[0]) : nullptr;
  throw InputError("import needs a KIND and a FILE" +
                   (format ? fmt::format("; '{}' looks like {}", words[0], format->name) : ""));
}

int import_file(const Arguments& arguments, const Environment&) {
  import_live(arguments);
  options::options_description description;
  std::vector<std::string> words;
  convert::ImportRequest request;
  auto add = description.add_options();
  add("words", options::value(&words));
  add("output,o", options::value(&request.out)->default_value("-"));
  add_options(description);
  const options::variables_map values = parse(arguments, description, "words", 2);
  if (words.size() != 2) fail_words(words);
  const Format& format = format_named(words[0]);
  take_options(values, format, request);
  if (!format.reading.run) throw InputError("'" + words[0] + "' must be the first word");
  request.file = words[1];
  write_file(request.out, format.reading.run(request));
  return 0;
}

}  // namespace

const Command command::import_command{"import", help_import, import_file, explain_import};

}  // namespace pipewright::cli
