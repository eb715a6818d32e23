#include "cli/formats_help.hpp"

#include <fmt/format.h>

#include "cli/help.hpp"

namespace pipewright::cli {
namespace {

using convert::Format;

/// The text of the command, then a line a format.
std::string list(std::string_view help, const std::vector<const Format*>& formats,
                 std::string_view (*line)(const Format&)) {
  std::string text = fmt::format("{}\n", help);
  for (const Format* format : formats)
    text += fmt::format("  {:<14} {}:\n  {:<14} {}\n", format->name, format->summary, "",
                        line(*format));
  return text;
}

/// The format that a word of `arguments` names, among `formats`.
const Format* named(const Arguments& arguments, const std::vector<const Format*>& formats) {
  for (const Format* format : formats)
    for (const std::string& argument : arguments)
      if (argument == format->name) return format;
  return nullptr;
}

/// "--name ARGUMENT"
std::string written(const convert::Option& option) {
  return fmt::format("--{}{}{}", option.name, option.argument.empty() ? "" : " ", option.argument);
}

/// "pipewright import NAME FILE [-o OUT] [--name NAME]"
std::string import_usage(const Format& format) {
  const bool live = !format.reading.live.empty();
  const char* more = live ? "... [options]" : format.reading.takes_several ? "..." : "";
  std::string usage = fmt::format("pipewright import {} FILE{} [-o OUT] [--set KEY.PATH=VALUE]...",
                                  format.name, more);
  for (const convert::Option& option : format.reading.options)
    usage += fmt::format(" [{}]{}", written(option), option.repeats ? "..." : "");
  return usage;
}

std::string import_help(const Format& format) {
  const convert::Import& reading = format.reading;
  std::string text = fmt::format("{}\n\nReads {}:\n{}.\n\n{}", import_usage(format), format.summary,
                                 reading.makes, reading.help);
  if (!reading.options.empty()) text += '\n';
  for (const convert::Option& option : reading.options)
    text += fmt::format("  {:<22} {}\n", written(option), option.help);
  return text + "\nOUT is a file or '-' (the default) for standard output.\n";
}

std::string export_help(const Format& format) {
  const convert::Export& writing = format.writing;
  return fmt::format(
      "pipewright export {} EXPERIMENT {} [--set KEY.PATH=VALUE]...{}\n\nWrites {}:\n{}.\n\n{}{}{}",
      format.name, writing.has_prefix ? "-o OUT" : "[-o OUT]",
      writing.takes_partial ? " [--partial]" : "", format.summary, writing.holds, writing.help,
      writing.takes_partial ? "\n  --partial              leave out what the framework cannot say, "
                              "and list it at the head\n"
                            : "",
      writing.has_prefix ? "" : "\nOUT is a file or '-' (the default) for standard output.\n");
}

}  // namespace

std::string explain_import(const Arguments& arguments) {
  const std::vector<const Format*> formats = convert::imported_formats();
  if (const Format* format = named(arguments, formats)) return import_help(*format);
  return list(help_import, formats, [](const Format& format) { return format.reading.makes; });
}

std::string explain_export(const Arguments& arguments) {
  const std::vector<const Format*> formats = convert::exported_formats();
  if (const Format* format = named(arguments, formats)) return export_help(*format);
  return list(help_export, formats, [](const Format& format) { return format.writing.holds; });
}

std::vector<std::string_view> names_of(const std::vector<const Format*>& formats) {
  std::vector<std::string_view> names;
  for (const Format* format : formats) names.push_back(format->name);
  return names;
}

}  // namespace pipewright::cli
