#include "report/text/coloured.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <string>

namespace pipewright {
namespace {

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

TEST(Coloured, changes_only_what_stands_between_bars) {
  const std::string text = "1f1b: a job\n  fits  yes | no\nrank 0 |F0ff.B0b|\n        F forward\n";
  const std::string shown = coloured(text);
  EXPECT_NE(shown, text);
  EXPECT_EQ(without_codes(shown),
            "1f1b: a job\n  fits  yes | no\nrank 0 |F0ff B0b|\n        F forward\n");
}

TEST(Coloured, an_op_is_of_one_colour_and_a_bar_has_one_for_each_letter) {
  const std::string op = coloured("rank 0 |F0ff|\n");
  EXPECT_EQ(std::count(op.begin(), op.end(), '\033'), 2);  // on and off
  const std::string bar = coloured("  |FFpp|\n");
  EXPECT_EQ(std::count(bar.begin(), bar.end(), '\033'), 3);
}

TEST(Coloured, leaves_text_without_bars_as_it_is) {
  EXPECT_EQ(coloured("a\nb"), "a\nb");
  EXPECT_EQ(coloured(""), "");
}

}  // namespace
}  // namespace pipewright
