#include "cli/sweep_output.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "report/csv/sweep.hpp"
#include "report/io/atomic_file.hpp"
#include "report/json/sweep.hpp"
#include "report/page/sweep.hpp"
#include "report/text/sweep.hpp"

namespace pipewright::cli {
namespace {

constexpr size_t most_rows = 25;

void write_to(const std::string& option, const std::string& folder, const char* name,
              const std::function<void(std::ostream&)>& write) {
  if (!option.empty()) return write_file(option, write);
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Failure(fmt::format("cannot make folder '{}': {}", folder, error.message()));
  write_file(std::filesystem::path(folder) / name, write);
}

}  // namespace

void write_sweep(const Study& study, const SweepStore& store, const CommonOptions& common) {
  const SweepView view{
      study.paths, study.objective, [&](const auto& visit) {
        store.for_each([&](const SweepRun& run) {
          if (run.settings.size() != study.paths.size())
            throw InputError(fmt::format("run {} is not of this study", run.point));
          visit(run);
        });
      }};
  write_to(common.json, common.folder, "results.json",
           [&](std::ostream& out) { write_sweep_json(view, out); });
  write_to(common.csv, common.folder, "results.csv",
           [&](std::ostream& out) { write_sweep_csv(view, out); });
  write_to(common.html, common.folder, "report.html",
           [&](std::ostream& out) { write_sweep_html(view, out); });
  if (!common.quiet && common.json != "-" && common.csv != "-" && common.html != "-")
    fmt::print("{}", sweep_summary(view, most_rows));
}

std::pair<int, int> read_shard(const std::string& text) {
  int shard = 0, shards = 0;
  const char* end = text.data() + text.size();
  const auto [slash, first] = std::from_chars(text.data(), end, shard);
  if (first == std::errc{} && slash != end && *slash == '/') {
    const auto [last, second] = std::from_chars(slash + 1, end, shards);
    if (second == std::errc{} && last == end && shard >= 1 && shard <= shards)
      return {shard, shards};
  }
  throw InputError(fmt::format("--shard '{}': must be i/n with i from 1 to n, as 3/16", text));
}

}  // namespace pipewright::cli
