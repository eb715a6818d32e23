#include <gtest/gtest.h>

#include "run_script.hpp"

namespace pipewright::test {
namespace {

shell::Surroundings beside() {
  return {.read = [](const std::string& path) {
    return path == "template" ? std::optional<std::string>("b: BATCH\nz: ZERO\n") : std::nullopt;
  }};
}

/// The text of the file `path` that a script writes; "?" where it is not known.
std::string file_of(const std::string& script, const std::string& path = "out") {
  const shell::Outcome outcome = follow(script, beside());
  const auto found = outcome.written.find(path);
  if (found == outcome.written.end()) return "none";
  return found->second ? shell::written(*found->second) : "?";
}

TEST(ShellTextCommands, a_template_is_filled_through_pipes) {
  EXPECT_EQ(file_of("B=4\nsed \"s/BATCH/${B}/\" template | sed 's/ZERO/1/' > out\nrun"),
            "b: 4\nz: 1\n");
  EXPECT_EQ(file_of("cat template | sed -e 's/BATCH/2/' -e 's/ZERO/3/' | tee out > log"),
            "b: 2\nz: 3\n");
  EXPECT_EQ(file_of("sed s/ZERO/0/ < template > out"), "b: BATCH\nz: 0\n");
  EXPECT_EQ(commands_of("run $(sed s/BATCH/8/ template)", beside()), "[run][b:][8][z:][ZERO]\n");
}

TEST(ShellTextCommands, a_file_is_changed_in_place) {
  EXPECT_EQ(file_of("cp template out\nsed -i 's/BATCH/8/;s/ZERO/2/' out"), "b: 8\nz: 2\n");
  EXPECT_EQ(file_of("cp template out\nsed -Ei 's/BATCH/8/' ./out"), "b: 8\nz: ZERO\n");
  EXPECT_EQ(file_of("cp template out\nsed -ri.bak s/ZERO/1/ a/../out"), "b: BATCH\nz: 1\n");
  EXPECT_EQ(file_of("cp template out\nsed -ni s/ZERO/1/ out"), "?");
  EXPECT_EQ(file_of("cat <<E > a\nx\nE\nmv a out"), "x\n");
  EXPECT_EQ(file_of("echo a > out; echo b >> out; echo c >&2 >> out"), "a\nb\nc\n");
}

TEST(ShellTextCommands, perl_and_sudo_change_files_too) {
  EXPECT_EQ(file_of("cp template out\nperl -pi -e 's/BATCH/8/' out"), "b: 8\nz: ZERO\n");
  EXPECT_EQ(file_of("cp template out\nperl -i.bak -pe 's/ZERO/2/' out"), "b: BATCH\nz: 2\n");
  EXPECT_EQ(file_of("cp template out\nperl -pi -e 's/BATCH/$x/' out"), "?");
  EXPECT_EQ(file_of("cp template out\nperl -0777 -pi -e 's/BATCH/8/' out"), "?");
  EXPECT_EQ(file_of("cp template out\nsudo -E sed -i s/BATCH/8/ out"), "b: 8\nz: ZERO\n");
  EXPECT_EQ(file_of("echo a | sudo -u root tee out"), "a\n");
  EXPECT_EQ(commands_of("sudo -E run a"), "[sudo][-E][run][a]\n");
}

TEST(ShellTextCommands, what_is_removed_is_empty) {
  EXPECT_EQ(file_of("cp template out\nrm -f out\necho a >> out"), "a\n");
  EXPECT_EQ(file_of("cp template d/out\nrm -rf d\necho a >> d/out", "d/out"), "a\n");
  EXPECT_EQ(file_of("cp template out\nrm *ut\necho a >> out"), "a\n");
  EXPECT_EQ(file_of("rm template\ncat template > out"), "");
}

TEST(ShellTextCommands, the_folder_here_is_no_other) {
  EXPECT_EQ(file_of("cat template > $PWD/out"), "b: BATCH\nz: ZERO\n");
  EXPECT_EQ(file_of("cat template > $(pwd)/out\nsed -i s/BATCH/8/ ./out"), "b: 8\nz: ZERO\n");
}

TEST(ShellTextCommands, what_another_program_makes_is_not_known) {
  EXPECT_EQ(file_of("jq . template > out"), "?");
  EXPECT_EQ(file_of("cat template | jq . | sed s/a/b/ > out"), "?");
  EXPECT_EQ(file_of("sed 's/B.*/x/' template > out"), "?");
  EXPECT_EQ(file_of("cat nowhere > out"), "?");
  EXPECT_EQ(file_of("cat template | while read a; do echo $a; done > out"), "?");
  EXPECT_EQ(file_of("cp template out\nwhile read A; do sed -i s/BATCH/$A/ out; done < list"), "?");
  EXPECT_EQ(file_of("for A in $(list); do echo $A >> out; done"), "?");
  EXPECT_EQ(file_of("run 2> out"), "none");
}

TEST(ShellTextCommands, messages_are_no_output) {
  EXPECT_EQ(commands_of("f() { echo note >&2; echo 4; }\nrun $(f)"), "[run][4]\n");
  EXPECT_EQ(commands_of("run $(cat <<< a; echo b > /dev/null)"), "[run][a]\n");
}

TEST(ShellTextCommands, printf_uses_its_format_for_all_that_is_given) {
  EXPECT_EQ(commands_of("run $(printf '%s,%d\\n' a 1 b 2)"), "[run][a,1][b,2]\n");
  EXPECT_EQ(commands_of("A=(0 1 1)\nprintf -v L '[%s]' \"$(IFS=,; echo \"${A[*]}\")\"\nrun $L"),
            "[run][[0,1,1]]\n");
  EXPECT_EQ(commands_of("run $(printf '100%%')"), "[run][100%]\n");
  EXPECT_EQ(commands_of("run $(printf '%s=%d')"), "[run][=0]\n");
  const shell::Outcome outcome = follow("run $(printf '%05.2f' 1)");
  EXPECT_TRUE(shell::unknown_in(outcome.commands.at(0).at(1)));
}

// A megabyte is printed or written, and what goes beyond is not known.
TEST(ShellTextCommands, what_is_written_has_a_limit) {
  const std::string kilobytes(30'000, 'x');
  EXPECT_EQ(file_of("x=" + kilobytes + "\nprintf \"$x%s\" {1..10000} > out"), "?");
  EXPECT_EQ(
      file_of("sed \"s/B/$(curl " + kilobytes + ")/g\" <<< " + std::string(1'000, 'B') + " > out"),
      "?");
}

}  // namespace
}  // namespace pipewright::test
