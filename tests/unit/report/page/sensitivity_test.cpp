#include "report/page/sensitivity.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "config/value.hpp"

namespace pipewright {
namespace {

std::string page_of(const Sensitivity& sensitivity) {
  std::ostringstream out;
  write_html(sensitivity, out);
  return out.str();
}

TEST(SensitivityPage, names_the_largest_gains_and_what_was_assumed) {
  Sensitivity s{.iteration_time_s = 1.1};
  s.rows = {{.resource = "devices", .iteration_time_s = 1, .gain = 0.1},
            {.resource = "memory bandwidth", .iteration_time_s = 1.05, .gain = 0.05}};
  s.range = TimeRange{0.9, 1.3};
  s.given = config::parse("{schedule: 1f1b}", "x");
  s.experiment = config::parse("{schedule: 1f1b, precision: bf16}", "x");
  const std::string page = page_of(s);
  EXPECT_NE(page.find("Ten per cent more devices gain most: 10.0 %, 1 s in place of 1.1 s. "
                      "Next comes memory bandwidth with 5.0 %."),
            std::string::npos);
  EXPECT_NE(page.find(R"("p10_s": 0.9)"), std::string::npos);
  EXPECT_NE(page.find(R"("key":"precision")"), std::string::npos);
}

TEST(SensitivityPage, says_where_nothing_gains) {
  EXPECT_NE(page_of({.iteration_time_s = 1}).find("of any one resource gain nothing."),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright
