#include "convert/deepspeed/keys.hpp"

#include <gtest/gtest.h>

#include <set>

namespace pipewright::deepspeed {
namespace {

void expect_whole(std::span<const job::Key> keys) {
  std::set<std::string_view> paths;
  for (const job::Key& key : keys) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path << " stands twice";
    EXPECT_FALSE(key.note.empty()) << key.path;
    EXPECT_NE(key.effect, job::Effect::means) << key.path;
  }
}

TEST(DeepSpeedKeys, each_has_a_reason_and_stands_once) {
  expect_whole(config_keys());
  expect_whole(argument_keys());
}

// A key that all fit would hide those after it.
TEST(DeepSpeedKeys, no_key_hides_another) {
  for (const auto keys : {config_keys(), argument_keys()})
    for (size_t i = 0; i < keys.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const std::string_view before = keys[j].path;
        if (!before.ends_with('*')) continue;
        EXPECT_FALSE(keys[i].path.starts_with(before.substr(0, before.size() - 1)))
            << before << " hides " << keys[i].path;
      }
}

}  // namespace
}  // namespace pipewright::deepspeed
