#include "convert/job/carried.hpp"

#include <gtest/gtest.h>

#include "config/emit.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

config::Value parsed(const char* yaml) { return config::parse(yaml, "c.yaml"); }

TEST(Carried, comments_give_back_what_they_keep) {
  const config::Value carried =
      parsed("{torchtitan: {optimizer: {lr: 0.0003}, training: {dataset: \"c4\"}}}");
  const std::string text = "# From a job.\n" + job::carried_comments(carried) + "model: m\n";
  const config::Value read = job::carried_in(text, "e.yaml");
  EXPECT_EQ(job::paths_of(read),
            (std::vector<std::string>{"torchtitan.optimizer.lr", "torchtitan.training.dataset"}));
  EXPECT_EQ(config::to_yaml(read), config::to_yaml(carried));
}

TEST(Carried, an_experiment_without_such_comments_carries_nothing) {
  EXPECT_TRUE(job::carried_in("# a remark\nmodel: m\n", "e.yaml").is_null());
  EXPECT_EQ(job::carried_comments({}), "");
}

TEST(Carried, comments_that_are_no_map_are_refused) {
  EXPECT_EQ(error_of([] { job::carried_in("# a\n# job| 3\nmodel: m\n", "e.yaml"); }),
            "e.yaml:2:1: error: what stands behind '# job|' is no map");
}

TEST(Carried, what_a_document_says_stays) {
  config::Value document = parsed("{optimizer: {name: Adam}, steps: 3}");
  job::lay_under(document, parsed("{optimizer: {name: AdamW, lr: 1}, steps: {a: 1}, more: 2}"));
  EXPECT_EQ(job::written(document), "{optimizer: {name: Adam, lr: 1}, steps: 3, more: 2}");
}

// Keys of presets and of other sections stay where they are, and so do objects of Python where they
// would be of another class.
TEST(Carried, keys_of_the_users_own_file_go_along) {
  const job::Source source{.text = {}, .file = "c.yaml"};
  job::Import import;
  config::Value document = parsed("{a: {lr: 1, b: {_target_: x}, _target_: y}, c: {d: 2}}");
  config::merge(document, config::parse("{a: {preset: 1}}", "preset.yaml"));
  const job::Settings settings(document, source, import);
  import.idle = {"a.lr", "a.b", "a._target_", "a.preset", "c.d", "a.missing"};
  constexpr std::string_view sections[] = {"a"};
  job::carry(import, settings, {.format = "mine", .sections = sections, .objects = false});
  EXPECT_EQ(job::written(import.carried), "{mine: {a: {lr: 1}}}");
}

// A program in Python may leave a value open. Only its name goes along then.
TEST(Carried, what_is_not_known_is_named_and_not_carried) {
  const job::Source source{.text = {}, .file = "c.yaml"};
  job::Import import;
  const job::Settings settings(
      parsed("{a: {lr: 1, path: [x, {_unknown_: \"paths() is not known here\"}]}}"), source,
      import);
  import.idle = {"a.lr", "a.path"};
  job::carry(import, settings, {.format = "mine"});
  EXPECT_EQ(job::written(import.carried), "{mine: {a: {lr: 1}, left: [a.path]}}");
}

}  // namespace
}  // namespace pipewright::test
