// torchtitan's job files. What becomes of them, see convert/torchtitan/.
#include "convert/torchtitan/job_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "convert/formats/job_import.hpp"
#include "convert/formats/registry.hpp"
#include "convert/job/hosts.hpp"
#include "convert/torchtitan/along.hpp"
#include "convert/torchtitan/config_function.hpp"
#include "convert/torchtitan/flavors.hpp"
#include "convert/torchtitan/function_writer.hpp"
#include "convert/torchtitan/pipeline.hpp"
#include "convert/torchtitan/writer.hpp"
#include "report/io/atomic_file.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "schedule/torch_csv.hpp"

namespace pipewright::convert {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view options[] = {"--job.config_file", "--job.config-file"};

/// Where the ConfigManager of torchtitan looks for a module (torchtitan/config/manager.py).
std::vector<std::string> files_of_module(const std::string& module) {
  constexpr std::string_view file = "/config_registry.py";
  if (module.find('.') == std::string::npos) {
    std::vector<std::string> files;
    for (const std::string_view folder : {"models", "experiments"})
      files.push_back(fmt::format("torchtitan/{}/{}{}", folder, module, file));
    return files;
  }
  std::string path = module;
  std::ranges::replace(path, '.', '/');
  return {fmt::format("{}{}", path, file), path + ".py"};
}

constexpr job::Handing handing{.framework = "torchtitan",
                               .options = options,
                               .has_options = true,
                               .files_of_module = files_of_module};

std::string import_torchtitan(const ImportRequest& request) {
  return import_settings(request, {torchtitan::import_job_file, torchtitan::import_config_function},
                         &handing);
}

bool recognises_torchtitan(std::string_view head, const std::string& file) {
  if (is_script(head, file)) return job::hands_over(head, handing);
  if (is_program(file)) return head.find("torchtitan") != std::string_view::npos;
  return file.ends_with(".toml") || (head.find("[job]") != std::string_view::npos &&
                                     head.find("dump_folder") != std::string_view::npos);
}

job::Import read_again(const job::Source& source) {
  return read_job(source, torchtitan::import_job_file);
}

job::Import read_function_again(const job::Source& source) {
  return read_job(source, torchtitan::import_config_function);
}

void write_job(const ExportRequest& request, const std::string& file,
               const torchtitan::StagePlacement* placement) {
  job::Writer writer{.format = "torchtitan",
                     .file = file,
                     .write =
                         [&](const Experiment& experiment, const config::Value& along) {
                           return torchtitan::write_job_file(experiment, placement, along);
                         },
                     .read = read_again,
                     .says = torchtitan::says_constant,
                     .start =
                         [](const Experiment& experiment) {
                           return job::started_by(job::hosts_of(experiment),
                                                  "-m torchtitan.train --job.config_file FILE");
                         },
                     .warnings = torchtitan::warnings,
                     .yours =
                         "data, tokenizer and learning rates: torchtitan takes c4_test, "
                         "its test tokenizer and AdamW's 8e-4 where nobody says them",
                     .steps = torchtitan::step_counts()};
  if (is_program(file)) {
    writer.write = [&](const Experiment& experiment, const config::Value& along) {
      return torchtitan::write_function(experiment, placement, along);
    };
    writer.read = read_function_again;
    writer.start = [](const Experiment& experiment) {
      return job::started_by(job::hosts_of(experiment),
                             "-m torchtitan.train --module MODULE --config job");
    };
    writer.fitting = torchtitan::along_of_function;
  }
  export_job(request, std::move(writer));
}

/// The experiment with the order of its passes in the file `csv`.
Experiment with_order_in(const std::string& csv, const ExportRequest& request) {
  config::Value document = request.experiment.document;
  document.set("schedule", config::scalar(std::string(schedule::torch_csv_prefix) + csv));
  if (config::Value* parallel = document.find("parallel"); parallel && parallel->is_map())
    std::erase_if(parallel->entries,
                  [](const config::Entry& entry) { return entry.key == "virtual"; });
  return read_experiment(resolve(document, request.catalogue));
}

/// A schedule without a name lies as PyTorch's CSV beside the job.
void write_job_with_csv(const ExportRequest& request) {
  const config::Value& where = request.experiment.at("schedule");
  if (request.is_trial) return;  // the file is what says it
  if (request.out == "-")
    where.misfit(
        "torchtitan cannot say this schedule by a name: its order goes out as a CSV beside the "
        "job, "
        "which needs -o FILE");
  const Prepared prepared = prepare(request.experiment, request.catalogue, request.options);
  const fs::path csv = fs::path(request.out).replace_extension(".csv");
  const torchtitan::StagePlacement placement =
      torchtitan::placement_in_file(prepared.schedule, csv.filename().string(), where);
  write_file(csv.string(), schedule::write_torch_csv(prepared.schedule, where));
  try {
    const Experiment experiment = with_order_in(csv.string(), request);
    write_job({experiment, request.catalogue, request.options, request.out, request.partial,
               request.remarks, request.is_trial, request.notes, request.carried},
              request.out, &placement);
  } catch (const InputError&) {
    fs::remove(csv);
    throw;
  }
}

void export_torchtitan(const ExportRequest& request) {
  const Experiment& e = request.experiment;
  const bool has_name = torchtitan::schedule_named(torchtitan::schedule_of(e)).has_value();
  // --partial goes on without a schedule that has no file to lie in.
  const bool goes_without = request.partial && request.out == "-";
  if (has_name || goes_without || e.parallel.pipeline == 1)
    write_job(request, is_program(request.out) ? "job.py" : "job.toml", nullptr);
  else
    write_job_with_csv(request);
}

void fuzz_torchtitan(std::string_view bytes) {
  if (bytes.find("def ") != std::string_view::npos)
    return fuzz_job(bytes, "job.py", torchtitan::import_config_function);
  fuzz_job(bytes, "job.toml", torchtitan::import_job_file);
}

}  // namespace

const Format format::torchtitan{
    .name = "torchtitan",
    .summary = "a job of torchtitan: a file (TOML) or a function (Python)",
    .reading =
        {.makes = "an experiment",
         .help =
             R"(Job files of all versions are read, and so are the functions that torchtitan has in their place since February
2026: --define CONFIG=NAME says which one of a file (config_registry.py), and --define MODULE=NAME whose models
it is about where the file does not say it. A program is followed, and not run; what it does not decide is named where
it matters. The sizes of a model are those of its flavor in torchtitan's
source. Words KEY=VALUE change the file as arguments of torchtitan do (training.local_batch_size=4 for
--training.local_batch_size 4). A script that starts training is followed to its --job.config_file, or
to its --module and --config.
--define NGPU=N says how many devices the job has; without it there are as few as the degrees
need, in whole nodes. --model gives the sizes of a model that is no flavor of torchtitan itself, and so
does a Hugging Face config.json as a further FILE. What matters and cannot be said is an error, or with --partial a comment. A
pipeline_parallel_schedule_csv is seen from the job file. The cluster is to be replaced by yours.
)",
         .run = import_torchtitan,
         .options = job_model_options(),
         .takes_several = true},
    .writing =
        {.holds = "the job: flavor, degrees, batch, precision, recomputation",
         .help =
             R"(The file has the keys of torchtitan v0.2.2, or, where its name ends with .py, is a function 'job' as torchtitan
has them in August 2026; data, checkpoints and learning rates
go along where the job came of such a file, and are else yours to add.
A model goes out where a flavor of torchtitan has its sizes. A schedule that torchtitan has no name for
goes out as PyTorch's pipeline CSV beside FILE, under its name with .csv. What the file does not say, such as the
cluster, stands in comments behind '# pipewright|', which 'import' reads. What torchtitan cannot do is
an error.
)",
         .run = export_torchtitan,
         .takes_partial = true,
         .settings = {"framework=torchtitan", "parallel.zero=3", "parallel.sequence=true",
                      "overlap.tensor=none", "offload=none", "partition=even"},
         .schedules =
             "[1f1b, {name: interleaved-1f1b, virtual: 2}, {name: interleaved-1f1b, virtual: 4}]",
         .example = R"(
model: {transformer: {layers: 6, hidden: 256, heads: 16, ffn: 768, vocabulary: 2048, gated: true,
                      positions: rope, norm: rmsnorm, bias: false, dropout: false, tied_embeddings: false}}
cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {tensor: 2, pipeline: 2, sequence: true, zero: 3}
batch: {global: 16, micro: 1, sequence: 128}
schedule: 1f1b
recompute: full
framework: torchtitan
)"},
    .recognises = recognises_torchtitan,
    .fuzz = fuzz_torchtitan};

}  // namespace pipewright::convert
