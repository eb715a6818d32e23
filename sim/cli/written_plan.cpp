#include "cli/written_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/formats_help.hpp"
#include "cli/options.hpp"
#include "cli/written_job.hpp"
#include "config/emit.hpp"
#include "convert/job/counted_stages.hpp"

namespace pipewright::cli {
namespace {

/// Returns a plan as other tools can be told it.
Experiment told(const config::Value& plan, const config::Catalogue& catalogue) {
  return read_experiment(resolve(job::with_counted_stages(plan, catalogue), catalogue));
}

/// Tells whether a format cannot say everything that runs.
bool refuses(const WrittenJob& job) { return job.format->writing.takes_partial; }

}  // namespace

std::vector<WrittenJob> written_jobs(const std::vector<std::string>& words) {
  std::vector<WrittenJob> jobs;
  for (const std::string& text : words) {
    const size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const convert::Format* format = convert::find_format(name);
    if (colon == std::string::npos || colon + 1 == text.size())
      throw InputError(fmt::format("--write {}: must be KIND:FILE", text));
    if (!format || !format->writing) {
      const std::vector<std::string_view> names = names_of(convert::exported_formats());
      throw InputError(fmt::format("--write {}: '{}' must be one of {}{}", text, name, join(names),
                                   did_you_mean(name, names)));
    }
    jobs.push_back({format, text.substr(colon + 1)});
  }
  return jobs;
}

std::vector<config::Value> common_schedules(const std::vector<WrittenJob>& jobs) {
  std::vector<config::Value> common;
  for (const WrittenJob& job : jobs) {
    if (job.format->writing.schedules.empty()) continue;
    std::vector<config::Value> own = read_schedules(std::string(job.format->writing.schedules));
    const auto is_other = [&](const config::Value& one) {
      return std::none_of(common.begin(), common.end(), [&](const config::Value& other) {
        return config::to_yaml(one) == config::to_yaml(other);
      });
    };
    if (!common.empty()) std::erase_if(own, is_other);
    if (own.empty())
      throw InputError("--write: these frameworks have no schedule in common; write one at a time");
    common = std::move(own);
  }
  return common;
}

std::optional<std::string> refusal_of(const std::vector<WrittenJob>& jobs,
                                      const config::Value& plan,
                                      const config::Catalogue& catalogue) {
  if (std::ranges::none_of(jobs, refuses)) return std::nullopt;
  try {
    const Experiment experiment = told(plan, catalogue);
    const RunOptions options;
    for (const WrittenJob& job : jobs)
      if (refuses(job))
        job.format->writing.run({experiment, catalogue, options, "-", false, nullptr, true});
    return std::nullopt;
  } catch (const InputError& error) {
    return error.message();
  }
}

void write_plan(const std::vector<WrittenJob>& jobs, const config::Value& plan,
                const std::string& experiment, const std::vector<std::string>& assignments,
                const config::Catalogue& catalogue) {
  if (jobs.empty()) return;
  const Experiment read = told(plan, catalogue);
  const RunOptions options;
  for (const WrittenJob& job : jobs)
    write_as(*job.format, {.experiment = read,
                           .catalogue = catalogue,
                           .options = options,
                           .out = job.file,
                           .notes = notes_of_import(experiment, assignments),
                           .carried = carried_by_import(experiment)});
}

}  // namespace pipewright::cli
