#include "cli/written_job.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/tell.hpp"
#include "config/small_file.hpp"
#include "convert/job/carried.hpp"
#include "convert/job/job.hpp"
#include "convert/job/rescale.hpp"
#include "interop/words.hpp"

namespace pipewright::cli {
namespace {

/// Of the comments of an import (convert/job/job.cpp) those that say what its experiment leaves out
/// or takes otherwise.
constexpr std::string_view carried[] = {
    "# assumed: ", "# matters, but cannot be said: ", "# matters somewhat, but is not simulated: "};

/// The text of a file; empty for what is none.
std::string text_of(const std::string& experiment) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(experiment, ignored)) return {};
  return config::read_small_file(experiment);
}

}  // namespace

std::vector<std::string> notes_of_import(const std::string& experiment,
                                         const std::vector<std::string>& assignments) {
  std::vector<std::string> notes;
  const std::string text = text_of(experiment);
  std::string_view rest = text;
  while (rest.starts_with('#')) {
    const std::string_view line = interop::take_line(rest);
    if (job::is_said(line, assignments)) continue;
    for (const std::string_view start : carried)
      if (line.starts_with(start)) notes.emplace_back(line.substr(2));
  }
  return notes;
}

config::Value carried_by_import(const std::string& experiment) {
  return job::carried_in(text_of(experiment), experiment);
}

std::string head_of_import(const std::string& experiment,
                           const std::vector<std::string>& assignments) {
  std::string head;
  for (const std::string& note : notes_of_import(experiment, assignments))
    head += fmt::format("# {}\n", note);
  return head + job::carried_comments(carried_by_import(experiment));
}

void write_as(const convert::Format& format, convert::ExportRequest request) {
  std::vector<std::string> remarks;
  request.remarks = &remarks;
  format.writing.run(request);
  for (const std::string& remark : remarks) tell("{}: {}\n", format.name, remark);
}

}  // namespace pipewright::cli
