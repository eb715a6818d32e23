// PipeDream's profiles. What they say, see interop/pipedream.hpp.
#include "interop/pipedream.hpp"

#include <fmt/format.h>

#include "config/emit.hpp"
#include "convert/formats/registry.hpp"

namespace pipewright::convert {
namespace {

config::Value value_of(const PipeDreamLayer& layer) {
  config::Value item;
  item.set("name", config::scalar(layer.name)).quoted = true;
  item.set("forward", config::scalar(fmt::format("{} ms", layer.forward_ms)));
  item.set("backward", config::scalar(fmt::format("{} ms", layer.backward_ms)));
  item.set("activation", config::scalar(fmt::format("{:.0f}", layer.activation_bytes)));
  item.set("output", config::scalar(fmt::format("{:.0f}", layer.boundary_bytes)));
  item.set("parameters", config::scalar(fmt::format("{:.0f}", layer.parameter_bytes / 4)));
  return item;
}

std::string import_pipedream(const ImportRequest& request) {
  const std::string& file = request.file;
  config::Value model;
  model.set("description", config::scalar("measured by PipeDream's profiler: " + file));
  config::Value& list = model.set("layers", {});
  list.kind = config::Value::Kind::list;
  for (const PipeDreamLayer& layer : read_pipedream(config::read_file(file), file))
    list.items.push_back(value_of(layer));
  return "# Times are of the micro-batch that was profiled, which the file does not say: add\n"
         "# measured_batch: N, and simulate with batch.micro: N. Parameters were in fp32.\n" +
         config::to_yaml(model);
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
