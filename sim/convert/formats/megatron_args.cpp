// The arguments of a Megatron-LM launch. What becomes of them, see convert/megatron/.
#include <fmt/format.h>

#include "config/emit.hpp"
#include "convert/deepspeed/job_file.hpp"
#include "convert/deepspeed/megatron_job.hpp"
#include "convert/formats/job_import.hpp"
#include "convert/formats/megatron_core_writing.hpp"
#include "convert/formats/registry.hpp"
#include "convert/job/hosts.hpp"
#include "convert/megatron/along.hpp"
#include "convert/megatron/fitting.hpp"
#include "convert/megatron/model_args.hpp"
#include "convert/megatron/positions.hpp"
#include "convert/megatron/script.hpp"
#include "convert/megatron/writer.hpp"
#include "convert/megatron/writers.hpp"
#include "convert/megatron/yaml_file.hpp"
#include "convert/neox/config_file.hpp"
#include "interop/words.hpp"

namespace pipewright::convert {
namespace {

/// Files of YAML, as which JSON may be read too.
bool is_document(const std::string& file) {
  return file.ends_with(".yaml") || file.ends_with(".yml") || file.ends_with(".json");
}

bool has_section(std::string_view text, const std::string& name) {
  return text.starts_with(name + ':') || text.find('\n' + name + ':') != std::string_view::npos;
}

bool has_model_args(std::string_view text) { return has_section(text, "MODEL_ARGS"); }

/// Whether GPT-NeoX's keys are those of the JSON itself. What evaluates models writes them too.
bool is_neox_json(std::string_view head) {
  int depth = 0;
  for (size_t at = 0; at < head.size(); ++at) {
    if (head[at] == '{') ++depth;
    if (head[at] == '}') --depth;
    if (depth == 1 && head.substr(at).starts_with("\"pipe") && neox::is_config(head.substr(at, 20)))
      return true;
  }
  return false;
}

bool recognises_megatron_args(std::string_view head, const std::string& file) {
  if (file.ends_with(".json")) return is_neox_json(head);
  if (is_document(file))
    return has_section(head, "language_model") || has_model_args(head) || neox::is_config(head);
  for (const char* word : {"--num-layers", "--hidden-size", "--tensor-model-parallel-size",
                           "--pipeline-model-parallel-size", "pretrain_gpt"})
    if (head.find(word) != std::string_view::npos) return true;
  // Other scripts may say beyond this head whose they are, or hand a file to another framework.
  if (head.size() == shortest_head) return false;
  for (const char* word : {"--job.config", "--config-name", "run_train.py"})
    if (head.find(word) != std::string_view::npos) return false;
  return file.ends_with(".sh") || head.starts_with("#!/bin/bash");
}

/// Only GPT-NeoX makes one job of several files. A model may stand beside a script.
void check_one_file(const job::Source& source, bool takes_model) {
  for (const job::Further& further : source.further)
    if (!takes_model || !further.word.ends_with(".json"))
      throw InputError(fmt::format("'{}': this job is one file", further.word));
}

/// Reads each of the forms that arguments have in YAML.
job::Import import_document(const job::Source& source) {
  if (!source.model.empty())
    throw InputError(fmt::format("--model {}: this job says its model", source.model));
  if (neox::is_config(source.text)) return neox::import_config(source);
  check_one_file(source, false);
  return has_model_args(source.text) ? megatron::import_model_args(source)
                                     : megatron::import_yaml(source);
}

/// Tells whether a line of a script asks for DeepSpeed, whose forks add arguments.
bool asks_for_deepspeed(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = interop::take_line(text);
    const size_t start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos || line[start] == '#') continue;
    if (line.find("--deepspeed") != std::string_view::npos) return true;
  }
  return false;
}

/// Reads a script, one for DeepSpeed as its forks of Megatron-LM do.
job::Import import_shell(const job::Source& source) {
  if (asks_for_deepspeed(source.text)) return deepspeed::import_job(source);
  check_one_file(source, true);
  return megatron::import_script(source, deepspeed::with_megatrons_arguments);
}

std::string import_megatron_args(const ImportRequest& request) {
  return import_job(request, is_document(request.file) ? import_document : import_shell);
}

job::Import read_again(const job::Source& source) {
  return read_job(source, [](const job::Source& s) { return megatron::import_script(s); });
}

job::Import read_document_again(const job::Source& source) {
  return read_job(source, megatron::import_model_args);
}

constexpr std::string_view yours =
    "data, tokenizer and learning rates: a NullTokenizer of as many tokens stands for the "
    "tokenizer";

std::map<std::string, std::string> script_and_devices(const Experiment& experiment,
                                                      const config::Value& along) {
  std::map<std::string, std::string> all = job::devices_outside(experiment, along);
  all.merge(megatron::tokens_outside(experiment, along));
  return all;
}

/// A file of YAML takes no arguments of a script.
config::Value fitting_document(const config::Value& along, const Experiment& experiment) {
  return megatron::fitting(megatron::without_positions(along), experiment);
}

/// A file of YAML has the arguments as YAML.
void export_megatron_args(const ExportRequest& request) {
  if (request.out.ends_with(".yaml") || request.out.ends_with(".yml"))
    return export_job(request, {.format = "megatron-args",
                                .file = "arguments.yaml",
                                .write = megatron::write_model_args,
                                .read = read_document_again,
                                .outside = script_and_devices,
                                .says = megatron::says_own_constant,
                                .yours = yours,
                                .fitting = fitting_document,
                                .less = megatron::less_along});
  export_job(request,
             {.format = "megatron-args",
              .file = "run.sh",
              .write = megatron::write_script,
              .read = read_again,
              .outside = megatron::tokens_outside,
              .says = megatron::says_own_constant,
              .start = [](const Experiment& e) { return job::started_on(job::hosts_of(e)); },
              .yours = yours,
              .fitting = megatron::fitting,
              .less = megatron::less_along});
}

void fuzz_megatron_args(std::string_view bytes) {
  if (has_section(bytes, "language_model") || has_model_args(bytes) || neox::is_config(bytes))
    fuzz_job(bytes, "arguments.yaml", import_document);
  else
    fuzz_job(bytes, "run.sh", import_shell);
}

}  // namespace

const Format format::megatron_args{
    .name = "megatron-args",
    .summary = "a launch script of Megatron-LM, or its arguments as a list or as YAML",
    .reading =
        {.makes = "an experiment",
         .help =
             R"(A script is followed as Bash does, as far as its text decides: variables, arrays, conditions,
functions, here-documents and scripts that it sources. Nothing is run. What the script takes from
outside is said by --define; the number of tokens of a tokenizer that lies in files by --define
VOCAB_SIZE=N, and the number of devices by --define NGPU=N. --model gives the sizes of a
script that has them in a checkpoint (--use-checkpoint-args). A batch that grows is its last one. Where
an argument is missing Megatron's own default stands. What matters and cannot be said is an error, or
with --partial a comment. What does not matter is a comment too. The cluster is to be replaced by yours.
)",
         .run = import_megatron_args,
         .options = job_model_options(),
         .takes_several = true},
    .writing = megatron_core_writing(
        R"(The script has the arguments of Megatron-LM of today; data, checkpoints and learning rates go along
where the job came of such a script, and are else yours to add ("$@"). A FILE called .yaml has them as MODEL_ARGS of YAML instead. What it does not say, such as the cluster, stands in comments behind '# pipewright|',
which 'import' reads. What Megatron-LM cannot do is an error.
)",
        export_megatron_args),
    .recognises = recognises_megatron_args,
    .fuzz = fuzz_megatron_args};

}  // namespace pipewright::convert
