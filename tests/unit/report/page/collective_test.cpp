#include "report/page/collective.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace pipewright {
namespace {

TEST(CollectivePage, has_its_answer_and_the_command_that_asks_again) {
  CollectiveTable table{.cluster = "a<b", .operation = "broadcast", .by = "x", .ranks = 2};
  table.rows = {{.bytes = {1024}, .time_s = 1e-3}, {.bytes = {2048}, .time_s = 1e-3}};
  std::ostringstream out;
  write_html(table, "pipewright collective 'a<b'", out);
  const std::string page = out.str();
  EXPECT_NE(page.find("<title>\nbroadcast on a&lt;b"), std::string::npos);
  EXPECT_NE(page.find("broadcast of 2 KiB takes 1 ms."), std::string::npos);
  EXPECT_NE(page.find("half of that from 1 KiB on."), std::string::npos);
  EXPECT_NE(page.find(R"("command":"pipewright collective 'a\u003cb'")"), std::string::npos);
}

TEST(CollectivePage, survives_no_size) {
  std::ostringstream out;
  write_html(CollectiveTable{}, "", out);
  EXPECT_NE(out.str().find(R"("advice":"")"), std::string::npos);
}

}  // namespace
}  // namespace pipewright
