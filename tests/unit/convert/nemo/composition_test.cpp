#include "convert/nemo/composition.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::nemo {
namespace {

config::Value composed(const std::string& text, bool partial = false) {
  job::Import import;
  job::Source source{.text = text, .file = "c.yaml", .given = {}, .partial = partial, .read = {}};
  source.further = {{"base.yaml", "a: 1\nb: 1\n"}, {"overlap.yaml", "x: 5\n"}, {"a=7"}};
  return compose(source, import);
}

// The document stands over what comes before _self_ and below what comes after, which is all
// where _self_ is missing. A part of a group stands below its name.
TEST(NemoComposition, parts_come_in_order) {
  const config::Value over = composed("defaults: [base, _self_]\nb: 2\n");
  EXPECT_EQ(over.find("b")->text, "2");
  EXPECT_EQ(over.find("a")->text, "7");  // a word of the command line
  EXPECT_FALSE(over.find("defaults"));
  EXPECT_EQ(composed("defaults: [base]\nb: 2\n").find("b")->text, "1");
  const config::Value grouped = composed("defaults: [{tp@m.cfg: overlap}, {optional x: none}]\n");
  EXPECT_EQ(grouped.find("m")->find("cfg")->find("x")->text, "5");
}

TEST(NemoComposition, a_part_that_is_packaged_is_named) {
  EXPECT_EQ(test::error_of([] { composed("defaults:\n  - training: big\n"); }),
            "c.yaml:2:5: error: 'training/big.yaml' of the defaults is packaged: give it as a "
            "further FILE; --partial goes on without it, and says so in the experiment");
  EXPECT_EQ(composed("defaults: [gone]\nb: 2\n", true).find("b")->text, "2");
  EXPECT_NE(test::error_of([] { composed("defaults: [[1]]\n"); }).find("must be NAME"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::nemo
