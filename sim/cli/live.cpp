#include "cli/live.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/error.hpp"

namespace pipewright::cli {

std::vector<std::string_view> live_words() {
  std::vector<std::string_view> words;
  for (const LiveCommand& command : live_commands())
    words.push_back(command.name.substr(0, command.name.find(' ')));
  return words;
}

bool is_live(const Arguments& words) {
  return std::ranges::any_of(live_commands(), [&](const LiveCommand& command) {
    const size_t space = command.name.find(' ');
    if (words.empty() || words[0] != command.name.substr(0, space)) return false;
    return space == std::string_view::npos ||
           (words.size() > 1 && words[1] == command.name.substr(space + 1));
  });
}

namespace {

std::string live_program() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "pipewright-live").string();
}

/// Returns the arguments for exec, valid as long as the strings live.
std::vector<char*> arguments_of(const std::string& program, const Arguments& words) {
  std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

[[noreturn]] void cannot_start(const std::string& program, int error) {
  if (error == ENOENT) {
    const std::filesystem::path folder = std::filesystem::path(program).parent_path();
    throw Failure(fmt::format("this needs '{}', which is not built: 'ninja -C {} pipewright-live'",
                              program, folder.string()));
  }
  throw Failure(fmt::format("cannot start '{}': {}", program, std::strerror(error)));
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t size = read(file, part.data(), part.size());
    if (size > 0)
      text.append(part.data(), static_cast<size_t>(size));
    else if (size == 0 || errno != EINTR)
      return text;
  }
}

/// Starts `program` with its output going to `to`.
pid_t spawn(const std::string& program, const Arguments& words, int to, char** environment) {
  std::vector<char*> arguments = arguments_of(program, words);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return child;
  close(to);
  cannot_start(program, error);
}

struct Ended {
  std::string output;
  int status = 0;  ///< as waitpid() has it
};

/// Runs `program` to its end.
Ended run_to_end(const std::string& program, const Arguments& words, char** environment) {
  std::array<int, 2> ends{};
  // Others that are started at the same time must not keep the writing end open.
  if (pipe2(ends.data(), O_CLOEXEC) != 0) cannot_start(program, errno);
  const pid_t child = spawn(program, words, ends[1], environment);
  close(ends[1]);
  Ended ended{.output = read_all(ends[0])};
  close(ends[0]);
  while (waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

/// Returns the libraries that `program` needs and this system lacks, as the loader lists them.
std::vector<std::string> missing_libraries(const std::string& program) {
  std::string tracing = "LD_TRACE_LOADED_OBJECTS=1";
  std::vector<char*> environment = {tracing.data()};
  for (char** one = environ; *one; ++one) environment.push_back(*one);
  environment.push_back(nullptr);
  std::istringstream lines(run_to_end(program, {}, environment.data()).output);
  std::vector<std::string> missing;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("=> not found") == std::string::npos) continue;
    const size_t first = line.find_first_not_of(" \t");
    missing.push_back(line.substr(first, line.find(' ', first) - first));
  }
  return missing;
}

/// Throws Failure where the program could not be loaded.
void require_libraries(const std::string& program) {
  const std::vector<std::string> missing = missing_libraries(program);
  if (missing.empty()) return;
  throw Failure(fmt::format(
      "live commands need {}, which this system lacks; the package suggests what has it: "
      "'apt-get install --install-suggests pipewright'",
      fmt::join(missing, ", ")));
}

}  // namespace

std::string output_of_live(const Arguments& words) {
  const std::string program = live_program();
  require_libraries(program);
  Ended ended = run_to_end(program, words, environ);
  if (ended.status != 0) throw Failure(fmt::format("'{}' {} failed", program, words.front()));
  return std::move(ended.output);
}

void start_live(const Arguments& words) {
  const std::string program = live_program();
  require_libraries(program);
  execv(program.c_str(), arguments_of(program, words).data());
  cannot_start(program, errno);
}

}  // namespace pipewright::cli
