#include "cli/written_job.hpp"

#include <fmt/format.h>

#include "convert/job/counted_stages.hpp"

namespace pipewright::cli {

void write_as(const convert::Format& format, convert::ExportRequest request) {
  std::vector<std::string> remarks;
  request.remarks = &remarks;
  format.writing.run(request);
  for (const std::string& remark : remarks) fmt::print(stderr, "{}: {}\n", format.name, remark);
}

std::optional<std::string> refusal(const convert::Format& format, const config::Value& experiment,
                                   const config::Catalogue& catalogue) {
  if (!format.writing.takes_partial) return std::nullopt;  // programs say whatever runs
  try {
    const Experiment read =
        read_experiment(resolve(job::with_counted_stages(experiment, catalogue), catalogue));
    const RunOptions options;
    format.writing.run({read, catalogue, options, "-", false, nullptr, true});
    return std::nullopt;
  } catch (const InputError& error) {
    return error.message();
  }
}

}  // namespace pipewright::cli
