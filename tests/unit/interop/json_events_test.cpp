#include "interop/json_events.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

std::vector<std::string> objects_of(const std::string& text, std::string* rest = nullptr) {
  const TemporaryFolder folder;
  JsonEvents events(folder.write("t.json", text), "events");
  std::vector<std::string> all;
  while (events.next()) all.emplace_back(events.object());
  if (rest) *rest = events.rest();
  return all;
}

TEST(JsonEvents, objects_of_the_list_come_one_after_another) {
  std::string rest;
  const std::vector<std::string> expected = {R"({"a": "]}\"", "b": {"c": [1]}})", "{}"};
  EXPECT_EQ(
      objects_of(R"({"x": "events", "y": {"events": 1}, "events": [ {"a": "]}\"", "b": {"c": [1]}},
{}], "z": 2})",
                 &rest),
      expected);
  EXPECT_EQ(rest, R"({"x": "events", "y": {"events": 1}, "events":null, "z": 2})");
}

TEST(JsonEvents, a_list_may_stand_alone_and_lack_its_end) {
  EXPECT_EQ(objects_of("[{\"a\": 1},\n{\"b\": 2}").size(), 2u);
  EXPECT_EQ(objects_of("[]").size(), 0u);
}

TEST(JsonEvents, what_is_longer_than_the_buffer_is_read_too) {
  std::string text = "{\"events\": [";
  for (int i = 0; i < 40; ++i)
    text += (i ? "," : "") + ("{\"n\": \"" + std::string(100000 + i, 'x') + "\"}");
  const auto all = objects_of(text + "]}");
  ASSERT_EQ(all.size(), 40u);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].size(), 100000 + i + 9);
}

TEST(JsonEvents, what_is_cut_off_is_told) {
  const std::string whole = "{\"events\": [{\"a\": \"b\"}, {\"c\": 1}], \"z\": 1}";
  for (const size_t length : {size_t{0}, size_t{5}, size_t{15}, size_t{19}, size_t{23}, size_t{26}})
    EXPECT_NE(error_of([&] { objects_of(whole.substr(0, length)); }).find(": error: "),
              std::string::npos)
        << length;
  EXPECT_NE(
      error_of([] { objects_of("{\"events\": [1]}"); }).find("an event of a trace is an object"),
      std::string::npos);
  EXPECT_NE(error_of([] { objects_of("{\"other\": []}"); }).find("has no list 'events'"),
            std::string::npos);
}

TEST(JsonEvents, lines_are_those_on_which_objects_begin) {
  const TemporaryFolder folder;
  std::string text = "{\n\"events\": [";
  std::vector<int> expected;
  int line = 2;
  for (int i = 0; i < 30; ++i) {
    text += i > 0 ? ",\n" : "\n";
    expected.push_back(++line);
    text += "{\"n\":\n\"" + std::string(90001, 'x') + "\"\n\n}";
    line += 3;
  }
  JsonEvents events(folder.write("lines.json", text + "\n]}"), "events");
  JsonEvents asked_at_the_end(folder.write("same.json", text + "\n]}"), "events");
  std::vector<int> lines;
  while (events.next()) lines.push_back(events.line());
  EXPECT_EQ(lines, expected);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(asked_at_the_end.next());
  EXPECT_EQ(asked_at_the_end.line(), expected.back());
}

}  // namespace
}  // namespace pipewright::test
