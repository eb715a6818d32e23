#include "diagnose/trace_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/diagnose_ranks.hpp"
#include "diagnose/profile_files.hpp"

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

std::vector<std::string> unfold(const std::vector<std::string>& named) {
  std::vector<std::string> files;
  for (const std::string& name : named) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(name, ignored)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> inside = files_of(name);
    std::ranges::move(inside, std::back_inserter(files));
  }
  return files;
}

}  // namespace

Diagnosis diagnose_files(const std::vector<std::string>& named) {
  const std::vector<std::string> files = unfold(named);
  if (files.size() == 1 && files.front() == "-")
    return diagnose_operations(read_operation_table("-"), "-");
  for (const std::string& file : files) {
    if (is_rank_profile(file)) continue;
    if (files.size() > 1)
      throw InputError({file, 0, 0},
                       "several files are traces of PyTorch or Nsight Systems; this is none");
    return diagnose_operations(read_operation_table(file), file);
  }
  const std::string source =
      named.size() == 1 ? named.front() : fmt::format("{} traces", files.size());
  return diagnose_ranks(files, source);
}

}  // namespace pipewright::diagnose
