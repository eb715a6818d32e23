#include "diagnose/slow_parts.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

TEST(SlowParts, those_that_lose_most_come_first_and_those_that_lose_nothing_do_not) {
  const Known known(traced("1f1b", 2, 2, 1, 1));
  const diagnose::Evidence evidence = known.evidence();
  std::map<std::string, diagnose::SlowPart> parts = {
      {"little", {.who = "little"}}, {"much", {.who = "much"}}, {"nothing", {.who = "nothing"}}};
  parts["little"].add(evidence, known.trace.body[0], seconds(0.75));
  parts["much"].add(evidence, known.trace.body[0], seconds(0.25));
  parts["nothing"].add(evidence, known.trace.body[0], seconds(1));
  const std::vector<diagnose::Candidate> found = diagnose::slow_parts(parts, {.who = "all"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].who, "much");
  EXPECT_EQ(found[1].who, "little");
}

}  // namespace
}  // namespace pipewright::test
