// The arguments of a Megatron-LM launch. What becomes of them, see convert/megatron_args.hpp.
#include "convert/megatron_args.hpp"

#include "config/emit.hpp"
#include "convert/formats/registry.hpp"

namespace pipewright::convert {
namespace {

std::string import_megatron_args(const ImportRequest& request) {
  return to_yaml(import_megatron(config::read_file(request.file), request.file));
}

bool recognises_megatron_args(std::string_view head, const std::string&) {
  for (const char* word : {"--num-layers", "--hidden-size", "--tensor-model-parallel-size",
                           "--pipeline-model-parallel-size"})
    if (head.find(word) != std::string_view::npos) return true;
  return false;
}

void fuzz_megatron_args(std::string_view bytes) {
  const std::string yaml = to_yaml(import_megatron(bytes, "run.sh"));
  ensure(config::parse(yaml, "x.yaml").is_map(), "what is written can be read");
}

}  // namespace

const Format format::megatron_args{
    .name = "megatron-args",
    .summary = "a launch script of Megatron-LM, or a list of its arguments",
    .reading =
        {.makes = "an experiment",
         .help =
             R"(Arguments that do not matter here are comments in it; so are those that matter and cannot be
simulated. Where an argument is missing Megatron's own default stands. The cluster is to be replaced
by yours.
)",
         .run = import_megatron_args},
    .recognises = recognises_megatron_args,
    .fuzz = fuzz_megatron_args};

}  // namespace pipewright::convert
