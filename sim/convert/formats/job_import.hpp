// What formats of other frameworks' jobs have in common: --define, --partial, the files that a job
// names.
#pragma once

#include <functional>

#include "convert/formats/format.hpp"
#include "convert/job/handed_over.hpp"
#include "convert/job/job.hpp"
#include "convert/job/round_trip.hpp"

namespace pipewright::convert {

using JobReader = job::Import (*)(const job::Source& source);

std::vector<Option> job_options();
/// The same with --model, of jobs that may not say their model.
std::vector<Option> job_model_options();

/// Tells whether a name is that of a file of YAML, or says nothing about what is in the file.
bool may_be_yaml(const std::string& file);

/// Tells whether a file is a script of a shell, by its name and its beginning.
bool is_script(std::string_view head, const std::string& file);

/// Tells whether a file is a program in Python, by its name.
bool is_program(const std::string& file);

/// Reads `request.file` by `read` and returns the experiment as YAML. Throws InputError for a
/// program in Python.
std::string import_job(const ImportRequest& request, JobReader read);

/// How a format's files of settings are read.
struct SettingsReader {
  JobReader document;
  JobReader program = nullptr;  ///< of those that are programs in Python; null: they are refused
};

/// The same of a file of settings, or of a script of a shell that hands one over. Without a
/// `handing` a script is refused.
std::string import_settings(const ImportRequest& request, const SettingsReader& read,
                            const job::Handing* handing = nullptr);

/// The same, where `follow` finds in a script what it hands over.
using Follow = std::function<job::HandedOver(const job::Source& source)>;
std::string import_settings(const ImportRequest& request, const SettingsReader& read,
                            const Follow& follow);

/// Reads a job by `read`, and what comments of ours say beside it.
job::Import read_job(const job::Source& source, JobReader read);

/// Writes the experiment as a job. Throws InputError for what the framework cannot say, before
/// anything is written.
void export_job(const ExportRequest& request, job::Writer writer);

/// Reads `bytes` as a job, in full and in part: what is written can be read.
void fuzz_job(std::string_view bytes, const std::string& name, JobReader read);

}  // namespace pipewright::convert
