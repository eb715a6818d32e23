#include "diagnose/trace_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "diagnose/diagnose_ranks.hpp"
#include "diagnose/profile_files.hpp"
#include "diagnose/run_operations.hpp"

namespace pipewright::diagnose {
namespace {

constexpr std::array<std::string_view, 3> endings = {".json", ".json.gz", ".sqlite"};

bool is_called_as_trace(std::string_view name) {
  return std::ranges::any_of(endings, [&](std::string_view end) { return name.ends_with(end); });
}

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && is_called_as_trace(name)) files.push_back(entry.path().string());
  }
  if (files.empty())
    throw InputError({folder, 0, 0},
                     "no file of this folder is called *.json, *.json.gz or *.sqlite");
  std::ranges::sort(files);
  return files;
}

bool is_folder(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_directory(name, ignored);
}

std::vector<std::string> unfold(const std::vector<std::string>& named) {
  std::vector<std::string> files;
  for (const std::string& name : named) {
    if (!is_folder(name)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> inside = files_of(name);
    std::ranges::move(inside, std::back_inserter(files));
  }
  return files;
}

bool share_a_rank(const std::string& one, const std::string& other) {
  const std::set<int> ranks = ranks_in(one);
  return std::ranges::any_of(ranks_in(other), [&](int rank) { return ranks.contains(rank); });
}

bool are_two_runs(const std::string& one, const std::string& other) {
  if (is_folder(one) || is_folder(other)) return is_folder(one) && is_folder(other);
  if (one == "-" || other == "-") return false;
  const bool profiles = is_rank_profile(one);
  return profiles == is_rank_profile(other) && (!profiles || share_a_rank(one, other));
}

/// Fails because of `file`, a table of operations that is not the only file.
[[noreturn]] void fail_several(const std::string& file, const std::vector<std::string>& files) {
  const bool are_all = std::ranges::none_of(
      files, [](const std::string& one) { return one == "-" || is_rank_profile(one); });
  if (are_all)
    throw InputError(
        {file, 0, 0},
        fmt::format("none of these {} files is a trace of PyTorch or Nsight Systems. A table of "
                    "operations or a trace of 'simulate' or 'replay' is a whole run: give one, or "
                    "two to hear what changed",
                    files.size()));
  throw InputError({file, 0, 0},
                   "this is no trace of PyTorch or Nsight Systems, as other files are, and a table "
                   "of operations or a trace of 'simulate' or 'replay' is a whole run");
}

/// Takes what no profiler of ranks wrote out of the files of a folder, and returns it; nothing
/// where all are such.
std::vector<std::string> take_others(std::vector<std::string>& files) {
  const auto other = std::ranges::stable_partition(files, is_rank_profile);
  if (other.begin() == files.begin()) return {};
  std::vector<std::string> taken(other.begin(), other.end());
  files.erase(other.begin(), other.end());
  return taken;
}

/// Dumps of the flight recorder beside a `file` that has no kernels would be ignored.
void refuse_flights(const KnownBesides& known, const std::string& file) {
  if (!known.flights.empty())
    throw InputError({known.flights.front().file, 0, 0},
                     fmt::format("says more of the kernels of ranks, and '{}' has none", file));
}

}  // namespace

NamedRuns runs_of(const std::vector<std::string>& named) {
  if (named.size() == 2 && are_two_runs(named[0], named[1])) return {{named[0]}, {named[1]}};
  return {{}, named};
}

Diagnosis diagnose_files(const std::vector<std::string>& named, const KnownBesides& known) {
  std::vector<std::string> files = unfold(named);
  if (files.size() == 1 && files.front() == "-") {
    refuse_flights(known, "-");
    return diagnose_operations(read_operation_table("-"), "-", known.layers);
  }
  const bool of_folder = named.size() == 1 && is_folder(named.front());
  const std::vector<std::string> others =
      of_folder && files.size() > 1 ? take_others(files) : std::vector<std::string>{};
  for (const std::string& file : files) {
    if (is_rank_profile(file)) continue;
    if (files.size() > 1) fail_several(file, files);
    refuse_flights(known, file);
    if (is_run_trace(file)) return diagnose_job(job_of(read_run_trace(file)), file, known.layers);
    return diagnose_operations(read_operation_table(file), file, known.layers);
  }
  const std::string source =
      named.size() == 1 ? named.front() : fmt::format("{} traces", files.size());
  Diagnosis diagnosis =
      diagnose_ranks(files, source, known, of_folder ? Unreadable::left_out : Unreadable::refused);
  for (const std::string& other : others)
    diagnosis.notes.push_back(
        fmt::format("'{}' was left out: it is no trace of PyTorch or Nsight Systems", other));
  return diagnosis;
}

}  // namespace pipewright::diagnose
