#include "convert/megatron/writers.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

std::string module_of(const std::string& part, bool has_experts) {
  if (part == "attention") return "core_attn";
  return part == "mlp" && has_experts ? "moe" : part;
}

/// The modules of a list of parts, a space between two.
std::string modules_of(const config::Value& parts, bool has_experts) {
  std::string modules;
  for (const config::Value& part : parts.items)
    modules += (modules.empty() ? "" : " ") + module_of(part.text, has_experts);
  return modules;
}

void add_modules(const std::string& modules, ArgumentLines& out) {
  out.add("recompute-granularity", "selective");
  out.add("recompute-modules", modules);
}

}  // namespace

void write_recompute(const Experiment& e, ArgumentLines& out) {
  const config::Value* value = e.document.find("recompute");
  if (!value) return;
  if (value->text == "selective") {
    out.add("recompute-granularity", "selective");
  } else if (value->text == "full") {
    out.add("recompute-granularity", "full");
    out.add("recompute-method", "uniform");
    out.add("recompute-num-layers", 1);
  } else if (const config::Value* layers = value->find("layers")) {
    out.add("recompute-granularity", "full");
    out.add("recompute-method", "block");
    out.add("recompute-num-layers", layers->text);
  } else if (const config::Value* parts = value->find("ops")) {
    const bool has_experts = e.model_or_fail().transformer.experts.has_value();
    add_modules(modules_of(*parts, has_experts), out);
  } else if (const config::Value* modules = value->find("modules")) {
    add_modules(modules_of(*modules, false), out);
  }
}

}  // namespace pipewright::megatron
