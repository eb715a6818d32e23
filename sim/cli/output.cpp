#include "cli/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "report/csv/result.hpp"
#include "report/io/atomic_file.hpp"
#include "report/json/result.hpp"
#include "report/page/run.hpp"
#include "report/text/comparison.hpp"
#include "report/text/summary.hpp"
#include "report/trace/trace.hpp"

namespace pipewright::cli {
namespace {

/// The target of each output; empty: nowhere.
struct Targets {
  std::string json, trace, csv, html;
  bool standard_output() const { return json == "-" || trace == "-" || csv == "-" || html == "-"; }
};

Targets targets_of(const CommonOptions& common) {
  Targets targets{common.json, common.trace, common.csv, common.html};
  if (common.folder.empty()) return targets;
  std::error_code error;
  std::filesystem::create_directories(common.folder, error);
  if (error) {
    throw Failure(fmt::format("cannot make folder '{}': {}", common.folder, error.message()));
  }
  const std::filesystem::path folder(common.folder);
  const auto fill = [&](std::string& target, const char* name) {
    if (target.empty()) target = folder / name;
  };
  fill(targets.json, "result.json");
  fill(targets.trace, "trace.json");
  fill(targets.csv, "result.csv");
  fill(targets.html, "report.html");
  return targets;
}

size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    return std::min<size_t>(size.ws_col, 200);
  return 100;
}

/// "trace.json" and "1f1b": "trace-1f1b.json".
std::string named_after(const std::string& path, std::string name) {
  if (path == "-") return path;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c) && c != '-'; }, '-');
  const std::filesystem::path file(path);
  return file.parent_path() / (file.stem().string() + "-" + name + file.extension().string());
}

void write_trace_file(const std::string& path, const Run& run) {
  write_file(path, [&](std::ostream& out) { write_trace(run, out); });
}

}  // namespace

void write_run(const Run& run, const CommonOptions& common) {
  const Targets targets = targets_of(common);
  if (!targets.json.empty()) write_file(targets.json, json_text(run.result));
  if (!targets.csv.empty()) write_file(targets.csv, csv_text(run.result));
  if (!targets.trace.empty()) write_trace_file(targets.trace, run);
  if (!targets.html.empty())
    write_file(targets.html, [&](std::ostream& out) { write_html(run, out); });
  if (!common.quiet && !targets.standard_output())
    fmt::print("{}", summary(run, terminal_columns()));
}

void write_rows(const std::vector<Row>& rows, const CommonOptions& common) {
  const Targets targets = targets_of(common);
  if (!targets.json.empty()) write_file(targets.json, json_text(rows));
  if (!targets.csv.empty()) write_file(targets.csv, csv_text(rows));
  if (!targets.html.empty())
    write_file(targets.html, [&](std::ostream& out) { write_html(rows, out); });
  if (!targets.trace.empty()) {
    for (const Row& row : rows)
      if (row.run) write_trace_file(named_after(targets.trace, row.schedule), *row.run);
  }
  if (!common.quiet && !targets.standard_output()) fmt::print("{}", comparison(rows));
}

}  // namespace pipewright::cli
