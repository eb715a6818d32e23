#include "report/text/accounts_table.hpp"

#include <gmock/gmock.h>

#include "support/tiny_run.hpp"

namespace pipewright::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(AccountsTable, shows_the_places_that_are_not_empty) {
  const std::string text = accounts_table(tiny_metrics()).text();
  EXPECT_THAT(text, HasSubstr("compute: forward"));
  EXPECT_THAT(text, HasSubstr("exposed: pipeline"));
  EXPECT_THAT(text, Not(HasSubstr("exposed: data")));
  EXPECT_THAT(text, Not(HasSubstr("gained")));
}

TEST(AccountsTable, shows_what_each_cost_would_gain_where_it_is_known) {
  Metrics metrics = tiny_metrics();
  metrics.detail.if_free.emplace().traffic[0] = milliseconds(7);
  EXPECT_THAT(accounts_table(metrics).text(), HasSubstr("7 ms"));
}

TEST(AccountsTable, is_empty_where_nothing_was_computed) {
  EXPECT_EQ(accounts_table({}).text(), "");
}

}  // namespace
}  // namespace pipewright::test
