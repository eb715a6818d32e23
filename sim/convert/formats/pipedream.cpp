// PipeDream's profiles. What they say, see interop/pipedream.hpp.
#include "interop/pipedream.hpp"

#include "config/emit.hpp"
#include "config/small_file.hpp"
#include "convert/formats/registry.hpp"
#include "convert/layered_model.hpp"

namespace pipewright::convert {
namespace {

TimedLayer timed(const PipeDreamLayer& layer) {
  return {.name = layer.name,
          .forward_ms = layer.forward_ms,
          .backward_ms = layer.backward_ms,
          .activation_bytes = layer.activation_bytes,
          .output_bytes = layer.boundary_bytes,
          .parameters = layer.parameter_bytes / 4};
}

std::string import_pipedream(const ImportRequest& request) {
  const std::string& file = request.file;
  std::vector<TimedLayer> layers;
  for (const PipeDreamLayer& layer : read_pipedream(config::read_small_file(file), file))
    layers.push_back(timed(layer));
  return "# Times are of the micro-batch that was profiled, which the file does not say: add\n"
         "# measured_batch: N, and simulate with batch.micro: N. Parameters were in fp32.\n" +
         config::to_yaml(layered_model("measured by PipeDream's profiler: " + file, layers));
}

bool recognises_pipedream(std::string_view head, const std::string&) {
  return head.starts_with("node") && head.find("_compute_time=") != std::string_view::npos;
}

void fuzz_pipedream(std::string_view bytes) {
  for (const PipeDreamLayer& layer : read_pipedream(bytes, "graph.txt"))
    ensure(layer.forward_ms >= 0 && layer.boundary_bytes >= 0, "a time or a size below zero");
}

}  // namespace

const Format format::pipedream{
    .name = "pipedream",
    .summary = "a profile of PipeDream (graph.txt)",
    .reading =
        {.makes = "a model as a list of layers with measured times",
         .help =
             R"(The times are of the micro-batch that was profiled, which the file does not say: 'measured_batch: N'
is yours to add. Layers come in an order in which they can run, with what crosses each cut.
)",
         .run = import_pipedream},
    .recognises = recognises_pipedream,
    .fuzz = fuzz_pipedream};

}  // namespace pipewright::convert
