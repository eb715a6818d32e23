#include "report/page/diagnosis.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace pipewright::test {
namespace {

Diagnosis sick() {
  Diagnosis d{.source = "a<b\x1b[2J"};
  d.steps = {{7, 2, 1.9, 1.5}};
  d.parallel = {.pipeline = 4, .data = 2};
  d.micro_batches = 8;
  d.schedule = {"1f1b", 1, 64, "stage 0, pass 3: 0F3 instead of 0B0"};
  d.typical.measured_s = 2;
  d.typical.simulated_s = 1.9;
  d.typical.ideal_s = 1.5;
  d.typical.slowdown = 1.9 / 1.5;
  d.typical.explained_fraction = 0.95;
  d.causes = {{.kind = CauseKind::stage,
               .who = "stage 3",
               .recovered_s = 0.4,
               .attributed_s = 0.4,
               .share = 1,
               .remedy = "fewer layers"}};
  d.notes = {"</script>"};
  return d;
}

TEST(DiagnosisPage, no_name_ends_the_script_that_it_stands_in) {
  std::ostringstream out;
  write_html(sick(), out);
  const std::string page = out.str();
  EXPECT_NE(page.find("\"kind\":\"diagnosis\""), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>"), std::string::npos);
  EXPECT_EQ(page.find("\x1b"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
