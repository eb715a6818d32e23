#include "report/text/drawn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace pipewright {
namespace {

constexpr Looks in_colours{.colours = true};
constexpr Looks in_blocks{.blocks = true};
constexpr Looks in_both{.colours = true, .blocks = true};

std::string without_codes(const std::string& text) {
  std::string plain;
  for (size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\033')
      k = text.find('m', k);
    else
      plain += text[k];
  }
  return plain;
}

TEST(Drawn, colours_change_only_what_stands_between_bars) {
  const std::string text = "1f1b: a job\n  fits  yes | no\nrank 0 |F0ff.B0b|\n        F forward\n";
  const std::string shown = drawn(text, in_colours);
  EXPECT_NE(shown, text);
  EXPECT_EQ(without_codes(shown),
            "1f1b: a job\n  fits  yes | no\nrank 0 |F0ff B0b|\n        F forward\n");
}

TEST(Drawn, an_op_is_of_one_colour_and_a_bar_has_one_for_each_letter) {
  const std::string op = drawn("rank 0 |F0ff|\n", in_colours);
  EXPECT_EQ(std::count(op.begin(), op.end(), '\033'), 2);  // on and off
  const std::string bar = drawn("  |FFpp|\n", in_colours);
  EXPECT_EQ(std::count(bar.begin(), bar.end(), '\033'), 3);
}

TEST(Drawn, blocks_stand_for_the_letters_of_a_timeline) {
  EXPECT_EQ(drawn("rank 0 |F12ffFff.FBBFB-S..|\n", in_blocks), "rank 0 |░12░░▌░░·░▓▓░▓─▚··|\n");
  EXPECT_EQ(drawn("       |B3b|\n", in_blocks), "       |▓3▓|\n");  // a second lane of a rank
}

TEST(Drawn, the_words_below_a_timeline_name_its_blocks) {
  EXPECT_EQ(drawn("        F forward, B backward, S optimizer step, . idle\n", in_blocks),
            "        ░ forward, ▓ backward, ▚ optimizer step, · idle\n");
}

TEST(Drawn, a_bar_keeps_its_letters) { EXPECT_EQ(drawn("  |FBp..|\n", in_blocks), "  |FBp..|\n"); }

TEST(Drawn, colours_do_not_change_the_blocks) {
  const std::string text = "rank 0 |F0ffB0bb-.|\n        F forward, . idle\n";
  EXPECT_NE(drawn(text, in_both), drawn(text, in_blocks));
  EXPECT_EQ(without_codes(drawn(text, in_both)), drawn(text, in_blocks));
}

TEST(Drawn, leaves_text_without_bars_as_it_is) {
  for (const Looks looks : {in_colours, in_blocks, in_both}) {
    EXPECT_EQ(drawn("a\nb", looks), "a\nb");
    EXPECT_EQ(drawn("a | b | c\n", looks), "a | b | c\n");
    EXPECT_EQ(drawn("", looks), "");
  }
}

}  // namespace
}  // namespace pipewright
