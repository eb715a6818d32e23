#include "convert/primus/keys.hpp"

#include <gtest/gtest.h>

#include <set>

namespace pipewright::primus {
namespace {

TEST(PrimusKeys, each_has_a_reason_and_stands_once) {
  std::set<std::string_view> paths;
  for (const job::Key& key : own_keys()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path << " stands twice";
    EXPECT_FALSE(key.note.empty()) << key.path;
  }
}

TEST(PrimusKeys, a_window_beside_sinks_is_not_read) {
  const job::Key* key = job::find_key(own_keys(), "sink_sliding_window");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->effect, job::Effect::refused);
}

}  // namespace
}  // namespace pipewright::primus
