// torchtitan's job files. What becomes of them, see convert/torchtitan/.
#include "convert/torchtitan/job_file.hpp"

#include "convert/formats/job_import.hpp"
#include "convert/formats/registry.hpp"
#include "convert/torchtitan/writer.hpp"

namespace pipewright::convert {
namespace {

std::string import_torchtitan(const ImportRequest& request) {
  return import_job(request, torchtitan::import_job_file);
}

bool recognises_torchtitan(std::string_view head, const std::string& file) {
  return file.ends_with(".toml") || (head.find("[job]") != std::string_view::npos &&
                                     head.find("dump_folder") != std::string_view::npos);
}

job::Import read_again(const job::Source& source) {
  return read_job(source, torchtitan::import_job_file);
}

void export_torchtitan(const ExportRequest& request) {
  export_job(request, {.format = "torchtitan",
                       .file = "job.toml",
                       .write = torchtitan::write_job_file,
                       .read = read_again});
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
    .writing =
        {.holds = "the job: flavor, degrees, batch, precision, recomputation",
         .help =
             R"(The file has the keys of torchtitan v0.2.2; data, checkpoints and learning rates are yours to add.
A model goes out where a flavor of torchtitan has its sizes. What the file does not say, such as the
cluster, stands in comments behind '# pipewright|', which 'import' reads. What torchtitan cannot do is
an error.
)",
         .run = export_torchtitan,
         .takes_partial = true,
         .settings = {"parallel.zero=3", "parallel.sequence=true", "overlap.tensor=none",
                      "offload=none", "partition=even"},
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
