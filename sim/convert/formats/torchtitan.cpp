// torchtitan's job files. What becomes of them, see convert/torchtitan/.
#include "convert/torchtitan/job_file.hpp"

#include "convert/formats/job_import.hpp"
#include "convert/formats/registry.hpp"

namespace pipewright::convert {
namespace {

std::string import_torchtitan(const ImportRequest& request) {
  return import_job(request, torchtitan::import_job_file);
}

bool recognises_torchtitan(std::string_view head, const std::string& file) {
  return file.ends_with(".toml") || (head.find("[job]") != std::string_view::npos &&
                                     head.find("dump_folder") != std::string_view::npos);
}

void fuzz_torchtitan(std::string_view bytes) {
  fuzz_job(bytes, "job.toml", torchtitan::import_job_file);
}

}  // namespace

const Format format::torchtitan{
    .name = "torchtitan",
    .summary = "a job file of torchtitan (TOML)",
    .reading =
        {.makes = "an experiment",
         .help =
             R"(Job files of all versions are read; the sizes of a model are those of its flavor in torchtitan's
source. --define NGPU=N says how many devices the job has; without it there are as few as the degrees
need, in whole nodes. What matters and cannot be said is an error, or with --partial a comment. The
cluster is to be replaced by yours.
)",
         .run = import_torchtitan,
         .options = job_options()},
    .recognises = recognises_torchtitan,
    .fuzz = fuzz_torchtitan};

}  // namespace pipewright::convert
