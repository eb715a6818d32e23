// Sources: megatron/core/optimizer/optimizer_config.py (optimizer_cpu_offload),
// transformer_config.py (offload_modules).
#include "convert/megatron/offload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "experiment/options.hpp"

namespace pipewright::megatron {
namespace {

using config::scalar;
using config::Value;

bool keeps_optimizer(Flags& flags) {
  if (!flags.has("optimizer-cpu-offload")) return false;
  const double part = flags.real("optimizer-offload-fraction", 1);
  if (part > 0 && part < 1)
    flags.refuse("optimizer-offload-fraction",
                 fmt::format("{} cannot be said: it is all or nothing", part));
  return part > 0;
}

Value modules_of(Flags& flags) {
  Value list;
  list.kind = Value::Kind::list;
  const std::vector<std::string> modules = flags.texts("offload-modules");
  if (!flags.has("fine-grained-activation-offloading")) return list;
  const auto& known = choices::offload_modules;
  for (const std::string& module : modules) {
    if (std::find(std::begin(known), std::end(known), module) == std::end(known))
      flags.refuse("offload-modules", fmt::format("{} cannot be said: it is one of {}", module,
                                                  pipewright::join(known)));
    else
      list.items.push_back(scalar(module));
  }
  return list;
}

}  // namespace

Value read_offload(Flags& flags) {
  const bool optimizer = keeps_optimizer(flags);
  Value modules = modules_of(flags);
  if (modules.items.empty()) return optimizer ? scalar("optimizer") : Value{};
  Value offload;
  offload.set("modules", std::move(modules));
  if (optimizer) offload.set("optimizer", scalar("true"));
  return offload;
}

}  // namespace pipewright::megatron
