// The plan that is proposed, as jobs of other tools: 'plan --write KIND:FILE'.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/formats/format.hpp"

namespace pipewright::cli {

/// KIND:FILE of --write.
struct WrittenJob {
  const convert::Format* format;
  std::string file;
};

/// Reads the words of --write. Throws InputError for what is no KIND:FILE.
std::vector<WrittenJob> written_jobs(const std::vector<std::string>& words);

/// Returns the schedules that all of the frameworks can do; nothing where each can do all. Throws
/// InputError where there is none.
std::vector<config::Value> common_schedules(const std::vector<WrittenJob>& jobs);

/// Returns why a plan cannot go out as one of the jobs; nothing where it can.
std::optional<std::string> refusal_of(const std::vector<WrittenJob>& jobs,
                                      const config::Value& plan,
                                      const config::Catalogue& catalogue);

/// Writes a plan for `experiment`, as `assignments` (--set) change it.
void write_plan(const std::vector<WrittenJob>& jobs, const config::Value& plan,
                const std::string& experiment, const std::vector<std::string>& assignments,
                const config::Catalogue& catalogue);

}  // namespace pipewright::cli
