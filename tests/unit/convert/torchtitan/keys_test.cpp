#include "convert/torchtitan/keys.hpp"

#include <gtest/gtest.h>

#include <set>

namespace pipewright::torchtitan {
namespace {

TEST(TorchtitanKeys, each_has_a_reason_and_stands_once) {
  std::set<std::string_view> paths;
  for (const job::Key& key : other_keys()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path << " stands twice";
    EXPECT_FALSE(key.note.empty()) << key.path;
  }
}

}  // namespace
}  // namespace pipewright::torchtitan
