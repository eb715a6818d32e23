// Files in tests/golden that hold what a format looks like: for formats only, never as the proof of
// a number. PIPEWRIGHT_ACCEPT=1 writes them anew and reports the test as skipped.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "golden_folder.hpp"

namespace pipewright::test {

inline bool accepts_golden() {
  const char* accept = std::getenv("PIPEWRIGHT_ACCEPT");
  return accept && std::string_view(accept) == "1";
}

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(golden_folder) / name;
  if (accepts_golden()) {
    std::ofstream(path, std::ios::binary) << text;
    GTEST_SKIP() << "accepted as " << path;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is not there; PIPEWRIGHT_ACCEPT=1 writes it";
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << "the format changed; PIPEWRIGHT_ACCEPT=1 accepts it";
}

}  // namespace pipewright::test
