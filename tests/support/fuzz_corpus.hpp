// The files that fuzzing starts from.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "convert/formats/format.hpp"
#include "golden_folder.hpp"

namespace pipewright::test {

/// Those of a format, in no order.
inline std::vector<std::string> corpus_of(const convert::Format& format) {
  namespace fs = std::filesystem;
  std::string folder(format.name);
  std::ranges::replace(folder, '-', '_');
  const fs::path path = fs::path(golden_folder) / "../fuzz/corpus" / folder;
  std::vector<std::string> files;
  if (!fs::is_directory(path)) return files;
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path().string());
  return files;
}

}  // namespace pipewright::test
