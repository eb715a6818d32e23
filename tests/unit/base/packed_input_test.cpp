#include "base/packed_input.hpp"

#include <gtest/gtest.h>

#include <array>

#include "error_of.hpp"
#include "gzip.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  for (PackedLines all(path); all.next();) lines.emplace_back(all.line());
  return lines;
}

TEST(PackedInput, plain_and_packed_files_have_the_same_lines) {
  const TemporaryFolder folder;
  const std::vector<std::string> expected = {"one", "", "three"};
  EXPECT_EQ(lines_of(folder.write("plain", "one\n\r\nthree")), expected);
  EXPECT_EQ(lines_of(folder.write("packed", gzip("one\n\nthree\n"))), expected);
  EXPECT_TRUE(lines_of(folder.write("empty", "")).empty());
}

TEST(PackedInput, a_text_is_read_like_a_file) {
  PackedInput input("dict", "abcde");
  std::array<char, 3> bytes{};
  EXPECT_EQ(input.path(), "dict");
  EXPECT_EQ(input.read(bytes), 3u);
  EXPECT_EQ(input.read(bytes), 2u);
  EXPECT_EQ(bytes[1], 'e');
  EXPECT_EQ(input.read(bytes), 0u);
}

TEST(PackedInput, a_line_is_numbered) {
  const TemporaryFolder folder;
  PackedLines lines(folder.write("two", "a\nb\n"));
  EXPECT_TRUE(lines.next());
  EXPECT_TRUE(lines.next());
  EXPECT_EQ(lines.number(), 2);
  EXPECT_FALSE(lines.next());
}

TEST(PackedInput, what_stands_before_a_cut_is_read_first) {
  const TemporaryFolder folder;
  const std::string whole = gzip("one\ntwo\n");
  PackedLines lines(folder.write("cut", whole.substr(0, whole.size() - 8)));  // without its end
  EXPECT_TRUE(lines.next());
  EXPECT_EQ(lines.line(), "one");
}

TEST(PackedInput, what_cannot_be_read_is_told) {
  const TemporaryFolder folder;
  const std::string whole = gzip("some text");
  const std::string cut = folder.write("cut", whole.substr(0, whole.size() - 12));
  EXPECT_EQ(error_of([&] { lines_of(cut); }),
            cut + ": error: is cut off: the packed file ends before its contents do");
  std::string wrong = whole;
  wrong[16] ^= 1;
  const std::string broken = folder.write("broken", wrong);
  EXPECT_EQ(error_of([&] { lines_of(broken); }), broken + ": error: is broken as a packed file");
  EXPECT_EQ(error_of([&] { lines_of(folder.path()); }), folder.path() + ": error: is a folder");
  EXPECT_NE(error_of([&] { lines_of("/none/there"); }).find("cannot be read"), std::string::npos);
  const std::string longest = folder.write("long", std::string(2 << 20, 'x'));
  EXPECT_EQ(error_of([&] { lines_of(longest); }),
            longest + ":1:1: error: this line is longer than 1 MiB");
}

}  // namespace
}  // namespace pipewright::test
