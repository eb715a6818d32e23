#include "cli/live.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace pipewright::cli {

bool is_live(std::string_view command) {
  return std::find(std::begin(live_commands), std::end(live_commands), command) !=
         std::end(live_commands);
}

void start_live(const Arguments& words) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (self.parent_path() / "pipewright-live").string();
  std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  throw Failure(fmt::format("cannot start '{}': {}", program, std::strerror(errno)));
}

}  // namespace pipewright::cli
