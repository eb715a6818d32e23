#include "base/command.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

using End = CommandRun::End;

TEST(Command, gets_its_input_and_gives_its_output) {
  const CommandRun run = run_command("tr a-z A-Z", "pipeline\n");
  EXPECT_EQ(run.end, End::exited);
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.output, "PIPELINE\n");
}

TEST(Command, may_leave_its_input_unread) {
  const CommandRun run = run_command("echo done", std::string(1 << 20, 'x'));
  EXPECT_EQ(run.end, End::exited);
  EXPECT_EQ(run.output, "done\n");
}

TEST(Command, its_exit_status_and_complaint_are_kept) {
  const CommandRun run = run_command("echo no such rank >&2; exit 3", "");
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.complaint, "no such rank\n");
  EXPECT_EQ(describe(run, {}), "ended with exit status 3");
}

TEST(Command, one_that_does_not_exist_is_the_shells_127) {
  EXPECT_EQ(run_command("/no/such/command", "").code, 127);
}

TEST(Command, a_signal_is_told_from_an_exit_status) {
  const CommandRun run = run_command("kill -TERM $$", "");
  EXPECT_EQ(run.end, End::killed);
  EXPECT_EQ(describe(run, {}), "was killed by signal 15");
}

TEST(Command, one_that_takes_too_long_is_killed) {
  const CommandLimits limits{.time = milliseconds(100)};
  const CommandRun run = run_command("sleep 1000", "", limits);
  EXPECT_EQ(run.end, End::timed_out);
  EXPECT_EQ(describe(run, limits), "took longer than 100 ms");
}

TEST(Command, one_that_closes_its_output_and_goes_on_is_killed) {
  EXPECT_EQ(run_command("exec >&- 2>&-; sleep 1000", "", {.time = milliseconds(100)}).end,
            End::timed_out);
}

TEST(Command, what_it_leaves_in_the_background_holding_its_output_is_killed_too) {
  EXPECT_EQ(run_command("sleep 1000 & echo started", "", {.time = milliseconds(200)}).end,
            End::timed_out);
}

TEST(Command, one_that_writes_without_end_is_killed) {
  const CommandLimits limits{.output = MiB};
  const CommandRun run = run_command("cat /dev/zero", "", limits);
  EXPECT_EQ(run.end, End::too_much);
  EXPECT_EQ(describe(run, limits), "wrote more than 1 MiB");
}

TEST(Command, a_long_complaint_keeps_its_end) {
  const CommandRun run = run_command("head -c 100000 /dev/zero >&2; echo last >&2; exit 1", "");
  EXPECT_LE(run.complaint.size(), 1024u);
  EXPECT_TRUE(run.complaint.ends_with("last\n"));
}

}  // namespace
}  // namespace pipewright
