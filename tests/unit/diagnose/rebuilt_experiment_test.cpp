#include <gtest/gtest.h>

#include "config/value.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/rebuilt_job.hpp"
#include "error_of.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

TEST(RebuiltExperiment, says_the_job) {
  const Diagnosis found = diagnose::diagnose_operations(
      traced("1f1b", 2, 4, 3, 1,
             [](const TracedOperation& one) {
               return one.dp_rank == 2 && one.stage == 1 && diagnose::is_pass(one.kind) ? 1.5 : 1;
             }),
      "trace.csv");
  const config::Value said = config::parse(diagnose::experiment_of(found), "x");
  EXPECT_EQ(said.find("description")->text, "rebuilt from the trace trace.csv");
  EXPECT_EQ(said.find("schedule")->text, "1f1b");
  EXPECT_EQ(said.find("parallel")->find("data")->text, "3");
  const config::Value& model = *said.find("model")->find("synthetic");
  EXPECT_EQ(model.find("microbatches")->text, "4");
  EXPECT_EQ(model.find("forward")->items.at(1).text, "1 s");
  EXPECT_EQ(said.find("cluster")->find("link")->find("latency")->text, "0.1 s");
  // Ranks of a stage stand next to each other: replica 2 of stage 1 is device 3 + 2.
  EXPECT_EQ(said.find("stragglers")->items.at(0).find("device")->text, "5");
}

TEST(RebuiltExperiment, what_is_not_known_is_refused) {
  Diagnosis found{.source = "t.json"};
  EXPECT_EQ(
      error_of([&] { diagnose::experiment_of(found); }),
      "t.json: error: no experiment can be made of it: its passes are not those of a job; give "
      "the traces of all ranks");
  found.rebuilt = RebuiltJob{.schedule = "unknown"};
  EXPECT_NE(error_of([&] { diagnose::experiment_of(found); }).find("order of passes"),
            std::string::npos);
}

TEST(RebuiltExperiment, slow_links_stand_in_a_matrix) {
  const Diagnosis found = diagnose::diagnose_operations(
      traced("1f1b", 3, 6, 2, 1,
             [](const TracedOperation& one) {
               const bool slow = one.kind == OperationKind::forward_recv && one.stage == 2;
               return slow && one.dp_rank == 1 ? 20.0 : 1.0;
             }),
      "trace.csv");
  const config::Value said = config::parse(diagnose::experiment_of(found), "x");
  const config::Value& rows = *said.find("cluster")->find("latency_matrix");
  // From replica 1 of stage 1, device 3, to that of stage 2, device 5: 20 times 0.1 s.
  EXPECT_EQ(rows.items.at(3).items.at(5).text, "2 s");
  EXPECT_EQ(rows.items.at(5).items.at(3).text, "0.1 s");
  EXPECT_EQ(rows.items.at(2).items.at(4).text, "0.1 s");
}

}  // namespace
}  // namespace pipewright::test
