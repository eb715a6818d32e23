#include "base/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace pipewright {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) {
  throw Failure(fmt::format("cannot run a command: {}: {}", what, std::strerror(errno)));
}

class File {
 public:
  explicit File(int descriptor = -1) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File() { close(); }
  int get() const { return descriptor_; }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_;
};

struct Pipe {
  File read, write;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
    read = File(ends[0]);
    write = File(ends[1]);
  }
};

/// A file in memory: the command may read it when it likes, or not at all.
File file_with(std::string_view text) {
  File file(memfd_create("input", MFD_CLOEXEC));
  if (file.get() < 0) fail("memfd_create");
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0) fail("write");
    text.remove_prefix(static_cast<size_t>(written));
  }
  if (lseek(file.get(), 0, SEEK_SET) != 0) fail("lseek");
  return file;
}

/// Starts the command in a process group of its own, so that all it starts can be killed.
pid_t start(const std::string& command, int input, int output, int complaints) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::string shell = "sh", option = "-c", text = command;
  char* arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t child = 0;
  errno = posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (errno != 0) fail("/bin/sh");
  return child;
}

/// Milliseconds until `deadline`, rounded up, at most `most`.
int until(Clock::time_point deadline, int most) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, most));
}

/// Appends what can be read; false at the end.
bool drain(const File& file, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR;
  into.append(buffer.data(), static_cast<size_t>(count));
  return count > 0;
}

/// Reads both streams to their ends. False when a limit was reached, which `run.end` then names.
bool read_all(Pipe& output, Pipe& complaints, Clock::time_point deadline, int64_t most,
              CommandRun& run) {
  constexpr size_t kept = 1024;
  std::array<pollfd, 2> watched{pollfd{output.read.get(), POLLIN, 0},
                                pollfd{complaints.read.get(), POLLIN, 0}};
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    const int wait = until(deadline, 1 << 30);
    if (wait == 0) return run.end = CommandRun::End::timed_out, false;
    if (poll(watched.data(), watched.size(), wait) < 0 && errno != EINTR) fail("poll");
    if (watched[0].revents != 0 && !drain(output.read, run.output)) watched[0].fd = -1;
    if (watched[1].revents != 0 && !drain(complaints.read, run.complaint)) watched[1].fd = -1;
    if (static_cast<int64_t>(run.output.size()) > most)
      return run.end = CommandRun::End::too_much, false;
    if (run.complaint.size() > kept) run.complaint.erase(0, run.complaint.size() - kept);
  }
  return true;
}

/// Tells whether the command has ended by `deadline`; it is left to be waited for.
bool ends_by(pid_t child, Clock::time_point deadline) {
  for (;;) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == child)
      return true;
    const int wait = until(deadline, 5);
    if (wait == 0) return false;
    poll(nullptr, 0, wait);
  }
}

}  // namespace

CommandRun run_command(const std::string& command, std::string_view input,
                       const CommandLimits& limits) {
  const auto deadline = Clock::now() + std::chrono::microseconds(limits.time.ps / 1'000'000);
  const File input_file = file_with(input);
  Pipe output, complaints;
  const pid_t child = start(command, input_file.get(), output.write.get(), complaints.write.get());
  output.write.close();
  complaints.write.close();
  CommandRun run;
  if (read_all(output, complaints, deadline, limits.output.count, run) && !ends_by(child, deadline))
    run.end = CommandRun::End::timed_out;
  kill(-child, SIGKILL);  // and whatever it left running
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (run.end != CommandRun::End::exited) return run;
  if (WIFSIGNALED(status)) run.end = CommandRun::End::killed;
  run.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return run;
}

std::string describe(const CommandRun& run, const CommandLimits& limits) {
  switch (run.end) {
    case CommandRun::End::exited:
      return fmt::format("ended with exit status {}", run.code);
    case CommandRun::End::killed:
      return fmt::format("was killed by signal {}", run.code);
    case CommandRun::End::timed_out:
      return fmt::format("took longer than {}", human_time(in_seconds(limits.time)));
    case CommandRun::End::too_much:
      return fmt::format("wrote more than {}",
                         human_bytes(static_cast<double>(limits.output.count)));
  }
  abort_with("unknown end of a command");
}

}  // namespace pipewright
