#include "convert/megatron/writers.hpp"

namespace pipewright::megatron {
namespace {

void write_modules(const Experiment& e, ArgumentLines& out) {
  const config::Value* value = e.document.find("launches");
  const config::Value* capture = value ? value->find("capture") : nullptr;
  out.add("cuda-graph-impl", capture ? capture->text : "transformer_engine");
  const config::Value* list = value ? value->find("graphs") : nullptr;
  if (!list) return;
  std::string modules;
  for (const config::Value& item : list->items) modules += (modules.empty() ? "" : " ") + item.text;
  if (modules != "layer") out.add("cuda-graph-modules", modules);
}

}  // namespace

void write_launches(const Experiment& e, ArgumentLines& out) {
  switch (e.launches.kind) {
    case Launches::ahead:
    case Launches::blocking:
      return;
    case Launches::modules:
      return write_modules(e, out);
    case Launches::passes:
    case Launches::graph:
      out.add("cuda-graph-impl", "full_iteration");
      out.add("no-check-for-nan-in-loss-and-grad");  // it would wait for the device
      if (e.launches.kind == Launches::graph) out.add("optimizer-cuda-graph");
  }
}

}  // namespace pipewright::megatron
