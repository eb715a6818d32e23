#include "report/io/atomic_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace pipewright {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public testing::Test {
 protected:
  AtomicFile() {
    std::string name = (fs::temp_directory_path() / "pipewright-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~AtomicFile() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string content(const char* name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "no failure";
}

TEST_F(AtomicFile, holds_what_was_written_and_leaves_nothing_else) {
  write_file(path("a"), "text");
  EXPECT_EQ(content("a"), "text");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, replaces_a_file_and_keeps_its_mode) {
  write_file(path("a"), "a longer old text");
  ::chmod(path("a").c_str(), 0600);
  write_file(path("a"), "new");
  EXPECT_EQ(content("a"), "new");
  struct stat now {};
  ::stat(path("a").c_str(), &now);
  EXPECT_EQ(now.st_mode & 0777, 0600u);
}

// More than any buffer on the way.
TEST_F(AtomicFile, holds_large_texts) {
  const std::string line(99, 'x');
  write_file(path("a"), [&](std::ostream& out) {
    for (int k = 0; k < 10000; ++k) out << line << '\n';
  });
  EXPECT_EQ(fs::file_size(path("a")), 1'000'000u);
}

TEST_F(AtomicFile, is_as_it_was_while_it_is_written_and_when_that_throws) {
  write_file(path("a"), "old");
  EXPECT_THROW(write_file(path("a"),
                          [&](std::ostream& out) {
                            out << std::string(1 << 20, 'n') << std::flush;
                            EXPECT_EQ(content("a"), "old");
                            throw Failure("in the middle");
                          }),
               Failure);
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(files(), 1u);
}

// A process that is killed in the middle has no chance to clean up.
TEST_F(AtomicFile, leaves_nothing_when_the_process_is_killed) {
  const int probe = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (probe < 0) GTEST_SKIP() << "this file system has no files without a name";
  ::close(probe);
  const pid_t child = ::fork();
  if (child == 0) {
    write_file(path("a"), [](std::ostream& out) {
      out << std::string(1 << 20, 'n') << std::flush;
      ::kill(::getpid(), SIGKILL);
    });
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFile, a_missing_folder_is_a_failure_with_the_path) {
  EXPECT_EQ(message_of([&] { write_file(path("no/such"), "text"); }),
            "cannot write '" + path("no/such") + "': No such file or directory");
}

TEST_F(AtomicFile, a_folder_is_no_file) {
  EXPECT_EQ(message_of([&] { write_file(folder_.string(), "text"); }),
            "cannot write '" + folder_.string() + "': Is a directory");
}

TEST_F(AtomicFile, a_full_disk_is_a_failure) {
  EXPECT_EQ(message_of([] { write_file("/dev/full", "text"); }),
            "cannot write '/dev/full': No space left on device");
}

TEST_F(AtomicFile, devices_stay_devices) {
  write_file("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFile, a_link_keeps_pointing_where_it_does) {
  write_file(path("target"), "old");
  fs::create_symlink("target", path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content("target"), "new");
}

TEST_F(AtomicFile, a_dash_is_standard_output) {
  testing::internal::CaptureStdout();
  write_file("-", "text\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "text\n");
}

}  // namespace
}  // namespace pipewright
