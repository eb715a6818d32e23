#include "convert/formats/job_import.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "config/small_file.hpp"
#include "convert/job/heading.hpp"
#include "convert/job/partial_writing.hpp"
#include "convert/job/round_trip.hpp"
#include "convert/job/step_counts.hpp"
#include "convert/trace_import.hpp"
#include "report/io/atomic_file.hpp"
#include "schedule/torch_csv.hpp"
#include "workload/model/model.hpp"

namespace pipewright::convert {
namespace {

namespace fs = std::filesystem;

constexpr int most_folders_up = 8;

/// A file that a job names lies as it says, seen from the job, from here or from a folder that the
/// job is in, such as a checkout; or else beside the job, which a module of a package does not.
std::optional<std::string> read_beside(const std::string& job, const std::string& path) {
  std::error_code ignored;
  const fs::path beside = fs::path(job).parent_path();
  for (const fs::path& candidate : {beside / path, fs::path(path)})
    if (fs::is_regular_file(candidate, ignored)) return config::read_small_file(candidate.string());
  fs::path folder =
      beside.empty() ? fs::current_path(ignored) : fs::absolute(beside, ignored).lexically_normal();
  for (int up = 0; up < most_folders_up && folder.has_relative_path(); ++up) {
    folder = folder.parent_path();
    if (fs::is_regular_file(folder / path, ignored))
      return config::read_small_file((folder / path).string());
  }
  const fs::path near = beside / fs::path(path).filename();
  if (near.extension() != ".py" && fs::is_regular_file(near, ignored))
    return config::read_small_file(near.string());
  return std::nullopt;
}

std::map<std::string, std::string> definitions(const ImportRequest& request) {
  std::map<std::string, std::string> given;
  for (const std::string& definition : request.all("define")) {
    const size_t equals = definition.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw InputError(fmt::format("--define {}: must be NAME=VALUE", definition));
    const std::string name = definition.substr(0, equals);
    if (!given.emplace(name, definition.substr(equals + 1)).second)
      throw InputError(fmt::format("--define {}: '{}' is given twice", definition, name));
  }
  return given;
}

job::Further further_file(const std::string& word) {
  std::error_code ignored;
  if (fs::is_directory(word, ignored)) return further_file(word + "/config.json");
  if (!fs::exists(word, ignored)) return {.word = word};
  return {.word = word, .text = config::read_small_file(word)};
}

/// --model NAME; one that is a file is a further file.
void take_model(const ImportRequest& request, job::Source& source) {
  const std::string model = request.option("model");
  if (model.empty()) return;
  job::Further file = further_file(model);
  if (file.text)
    source.further.push_back(std::move(file));
  else
    source.model = model;
}

/// An order of passes that lies in a file is called from where the experiment is going to lie.
void place_schedule(const ImportRequest& request, config::Value& experiment) {
  config::Value* value = experiment.find("schedule");
  if (!value || !value->text.starts_with(schedule::torch_csv_prefix)) return;
  const std::string file = value->text.substr(schedule::torch_csv_prefix.size());
  value->text = std::string(schedule::torch_csv_prefix) + path_from(request.out, file);
}

/// What is imported, from `text`, which stays where it is.
job::Source source_of(const ImportRequest& request, const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw InputError({request.file, 1, 1}, "is empty: a job is expected");
  std::map<std::string, std::string> given = definitions(request);
  given.merge(job::written_definitions(text, request.file));
  job::Source source{
      .text = text,
      .file = request.file,
      .given = std::move(given),
      .partial = request.has("partial"),
      .read = [&](const std::string& path) { return read_beside(request.file, path); }};
  for (const std::string& word : request.more) source.further.push_back(further_file(word));
  take_model(request, source);
  source.written_model = job::written_model(text, request.file);
  return source;
}

std::string imported(const ImportRequest& request, const job::Source& source, JobReader read,
                     const std::vector<std::string>& refused = {}) {
  job::Import import = read_job(source, read);
  import.refused.insert(import.refused.end(), refused.begin(), refused.end());
  place_schedule(request, import.experiment);
  return to_yaml(import);
}

}  // namespace

std::vector<Option> job_options() {
  return {
      {"define", "NAME=VALUE", "a variable that the job takes from outside; may be repeated", true},
      {"partial", "", "go on where something that matters cannot be said, and list it", false}};
}

std::vector<Option> job_model_options() {
  std::vector<Option> options = job_options();
  options.push_back(
      {"model", "NAME",
       "the model: a name of the catalogue, a Hugging Face config.json or its folder"});
  return options;
}

bool may_be_yaml(const std::string& file) {
  const std::string extension = fs::path(file).extension().string();
  return extension.empty() || extension == ".yaml" || extension == ".yml";
}

bool is_script(std::string_view head, const std::string& file) {
  return file.ends_with(".sh") || file.ends_with(".sbatch") || file.ends_with(".slurm") ||
         head.starts_with("#!");
}

bool is_program(const std::string& file) { return file.ends_with(".py"); }

namespace {

[[noreturn]] void refuse_program(const std::string& file) {
  throw InputError({file},
                   "a program is not run here, and this format has none that is read: those of "
                   "torchtitan, NeMo 2 and Megatron Bridge are");
}

std::string imported(const ImportRequest& request, const job::Source& source,
                     const SettingsReader& read, const std::vector<std::string>& refused = {}) {
  if (!is_program(source.file)) return imported(request, source, read.document, refused);
  if (!read.program) refuse_program(source.file);
  return imported(request, source, read.program, refused);
}

}  // namespace

std::string import_job(const ImportRequest& request, JobReader read) {
  const std::string text = config::read_small_file(request.file);
  return imported(request, source_of(request, text), SettingsReader{read});
}

std::string import_settings(const ImportRequest& request, const SettingsReader& read,
                            const Follow& follow) {
  const std::string text = config::read_small_file(request.file);
  job::Source source = source_of(request, text);
  if (is_program(request.file) || !is_script(text, request.file))
    return imported(request, source, read);
  if (!follow)
    throw InputError({request.file, 1, 1},
                     "this is a script of a shell: give the file of settings that it hands to its "
                     "program ('megatron-args' and 'deepspeed' read scripts)");
  const job::HandedOver settings = follow(source);
  source.text = settings.text;
  source.file = settings.file;
  source.given = settings.given;
  for (const std::string& word : settings.words) source.further.push_back({.word = word});
  return imported(request, source, read, settings.refused);
}

std::string import_settings(const ImportRequest& request, const SettingsReader& read,
                            const job::Handing* handing) {
  Follow follow;
  if (handing)
    follow = [&](const job::Source& source) { return job::handed_over(source, *handing); };
  return import_settings(request, read, follow);
}

job::Import read_job(const job::Source& source, JobReader read) {
  job::Import import = read(source);
  job::read_surroundings(source.text, source.file, import.experiment);
  if (job::says_cluster(source.text, source.file))
    std::erase_if(import.assumed,
                  [](const std::string& note) { return note.starts_with(job::no_cluster); });
  return import;
}

void fuzz_job(std::string_view bytes, const std::string& name, JobReader read) {
  for (const bool partial : {true, false}) {
    const job::Source source{
        .text = bytes, .file = name, .given = {}, .partial = partial, .read = {}};
    const std::string yaml = to_yaml(read_job(source, read));
    ensure(config::parse(yaml, "x.yaml").is_map(), "what is written can be read");
  }
}

namespace {

/// Writes the job, or fails with all that the framework cannot say. A trial needs one reason.
std::string written_once(const ExportRequest& request, const job::Writer& writer) {
  const Experiment& e = request.experiment;
  if (request.partial) return job::write_partly(e, request.catalogue, request.options, writer);
  try {
    return job::write_job(e, request.catalogue, request.options, writer);
  } catch (const InputError&) {
    if (request.is_trial || !writer.along.is_null()) throw;
  }
  throw job::all_that_stops(e, request.catalogue, request.options, writer);
}

/// Writes the job with all that goes along, or else with less of it. `writer` ends with what went.
std::string written(const ExportRequest& request, job::Writer& writer) {
  for (;; writer.along = writer.less ? writer.less(writer.along) : config::Value()) {
    try {
      return written_once(request, writer);
    } catch (const InputError&) {
      if (writer.along.is_null()) throw;
    }
  }
}

double tokens_of(const Experiment& experiment) {
  const int64_t models = experiment.model_or_fail().sequence.value_or(0);
  const int64_t sequence = experiment.batch.sequence > 0 ? experiment.batch.sequence : models;
  return static_cast<double>(experiment.batch.global) * static_cast<double>(sequence);
}

}  // namespace

void export_job(const ExportRequest& request, job::Writer writer) {
  std::vector<std::string> notes = request.notes;
  if (const config::Value* along = request.carried.find(writer.format)) {
    writer.along = writer.fitting ? writer.fitting(*along, request.experiment) : *along;
    std::vector<std::string> counted;
    job::count_in_steps(writer.along, writer.steps, tokens_of(request.experiment), counted);
    for (const std::string& note : counted) notes.push_back("assumed: " + note);
  }
  const std::string text = written(request, writer);
  if (request.is_trial) return;
  std::vector<std::string> remarks;
  const std::string head =
      job::heading(request.experiment, writer, {notes, request.carried}, remarks);
  if (request.remarks)
    request.remarks->insert(request.remarks->end(), remarks.begin(), remarks.end());
  write_file(request.out, job::with_head(head, text));
}

}  // namespace pipewright::convert
