#include "cli/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "report/io/atomic_file.hpp"
#include "report/markdown/report.hpp"
#include "report/text/drawn.hpp"

namespace pipewright::cli {
namespace {

/// Fills in the files of the folder that `outputs` names.
Outputs targets_of(const Outputs& outputs, const Forms& forms, const std::string& stem) {
  Outputs targets = outputs;
  if (outputs.folder.empty()) return targets;
  std::error_code error;
  std::filesystem::create_directories(outputs.folder, error);
  if (error)
    throw Failure(fmt::format("cannot make folder '{}': {}", outputs.folder, error.message()));
  const auto fill = [&](bool is_there, std::string& target, const std::string& name) {
    if (is_there && target.empty()) target = std::filesystem::path(outputs.folder) / name;
  };
  fill(true, targets.json, stem + ".json");
  fill(forms.trace, targets.trace, "trace.json");
  fill(forms.csv, targets.csv, stem + ".csv");
  fill(forms.html, targets.html, "report.html");
  return targets;
}

size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    return std::min<size_t>(size.ws_col, 200);
  return 80;
}

bool shows_colours() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && !(no_colour && *no_colour) &&
         std::string_view(terminal ? terminal : "dumb") != "dumb";
}

/// As the C library finds the locale of characters.
bool writes_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    std::string locale(value);
    std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return std::tolower(c); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

/// What goes to standard output as a file is alone there. Where little is to be printed, a form
/// that is asked for is.
bool prints(const Outputs& outputs) {
  const bool is_alone =
      outputs.json != "-" && outputs.trace != "-" && outputs.csv != "-" && outputs.html != "-";
  return is_alone && (!outputs.quiet || outputs.format != "text");
}

void print(const Outcome& outcome, std::string_view format) {
  if (format == "json") return write_file("-", [&](std::ostream& out) { outcome.json(out); });
  if (format == "csv") return write_file("-", [&](std::ostream& out) { outcome.csv(out); });
  const Report report = outcome.report(terminal_columns());
  if (format == "markdown")
    fmt::print("{}", markdown_text(report));
  else
    fmt::print("{}", drawn(isatty(STDOUT_FILENO) ? report.text(terminal_columns()) : report.text(),
                           {.colours = shows_colours(), .blocks = writes_utf8()}));
}

}  // namespace

void write_outcome(const Outcome& outcome, const Outputs& outputs, const std::string& stem) {
  const Outputs targets = targets_of(outputs, outcome.forms(), stem);
  const auto write = [&](const std::string& path, void (Outcome::*form)(std::ostream&) const) {
    if (!path.empty()) write_file(path, [&](std::ostream& out) { (outcome.*form)(out); });
  };
  write(targets.json, &Outcome::json);
  write(targets.csv, &Outcome::csv);
  if (!targets.trace.empty()) outcome.save_trace(targets.trace);
  write(targets.html, &Outcome::html);
  if (prints(targets)) print(outcome, targets.format);
}

bool prints_text(const Outputs& outputs) {
  return prints(outputs) && outputs.format != "json" && outputs.format != "csv";
}

}  // namespace pipewright::cli
