#include "diagnose/trace_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "base/packed_input.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/diagnose_ranks.hpp"
#include "interop/torch_profile.hpp"

namespace pipewright::diagnose {
namespace {

/// A trace of PyTorch begins with a bracket, a table with the name of a column.
bool is_json(const std::string& file) {
  PackedInput input(file);
  std::array<char, 256> head{};
  const std::string_view text(head.data(), input.read(head));
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && (name.ends_with(".json") || name.ends_with(".json.gz")))
      files.push_back(entry.path().string());
  }
  if (files.empty())
    throw InputError({folder, 0, 0}, "no file of this folder is called *.json or *.json.gz");
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
    if (is_json(file)) continue;
    if (files.size() > 1)
      throw InputError({file, 0, 0},
                       "several files are traces of PyTorch, one a rank; this is none");
    return diagnose_operations(read_operation_table(file), file);
  }
  if (files.size() == 1) return diagnose_profile(read_torch_profile(files.front()));
  const std::string source =
      named.size() == 1 ? named.front() : fmt::format("{} traces", files.size());
  return diagnose_ranks(files, source);
}

}  // namespace pipewright::diagnose
