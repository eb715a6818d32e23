#include "report/markdown/report.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(MarkdownReport, has_headings_paragraphs_lists_and_tables) {
  const Report report = Report()
                            .heading("Title")
                            .lines("One.\nTwo.\n\n")
                            .table({{"a", "b"}, {"x", "1"}, {"y"}})
                            .items("  4  reasons\n");
  EXPECT_EQ(markdown_text(report),
            "# Title\n\nOne.\nTwo.\n\n| a | b |\n|---|---:|\n| x | 1 |\n| y |  |\n\n- 4 reasons\n");
}

TEST(MarkdownReport, numbers_stand_to_the_right_and_words_to_the_left) {
  EXPECT_EQ(markdown_text(Report().heading("T").table({{"a", "b", "c"}, {"x", "-", "yes"}})),
            "# T\n\n| a | b | c |\n|---|---:|---|\n| x | - | yes |\n");
}

TEST(MarkdownReport, a_drawing_keeps_its_columns) {
  EXPECT_EQ(markdown_text(Report().heading("T").lines("\n").drawing("a |  b|\n")),
            "# T\n\n```text\na |  b|\n```\n");
}

TEST(MarkdownReport, what_markdown_would_read_is_escaped) {
  EXPECT_EQ(markdown_text(Report().heading("a*b").table({{"a|b"}, {"<x>"}})),
            "# a\\*b\n\n| a\\|b |\n|---|\n| \\<x> |\n");
}

TEST(MarkdownReport, the_mark_of_a_comment_is_no_heading) {
  EXPECT_EQ(markdown_text(Report().heading("T").items("# as printed\n")), "# T\n\n- as printed\n");
}

}  // namespace
}  // namespace pipewright
