#include "convert/torchtitan/recompute.hpp"

#include <fmt/format.h>

#include "interop/words.hpp"

namespace pipewright::torchtitan {
namespace {

using config::number;
using config::scalar;
using config::Value;

Value some(const char* what, int64_t count) {
  Value recompute;
  recompute.set(what, number(count));
  return recompute;
}

/// Every n-th layer is run again; here as many, the first of every stage.
Value every_so_many(job::Settings& settings, const std::string& option, int64_t layers,
                    int64_t stages) {
  const auto every = interop::number_of<int64_t>(option);
  if (!every || *every < 1 || layers % stages != 0 || layers / stages % *every != 0) {
    settings.refuse("activation_checkpoint.selective_ac_option",
                    fmt::format("every {} layers cannot be said of stages of {}", option,
                                static_cast<double>(layers) / static_cast<double>(stages)));
    return {};
  }
  return *every == 1 ? scalar("full") : some("layers", layers / stages / *every);
}

}  // namespace

config::Value read_recompute(job::Settings& settings, int64_t layers, int64_t stages) {
  const std::string mode = settings.text({"activation_checkpoint.mode"}, "selective");
  const std::string option = settings.text({"activation_checkpoint.selective_ac_option"}, "2");
  if (mode == "full") return scalar("full");
  if (mode == "selective")
    return option == "op" ? some("products", 2) : every_so_many(settings, option, layers, stages);
  if (mode != "none")
    settings.refuse("activation_checkpoint.mode",
                    mode + " cannot be said: it is none, selective or full");
  return {};
}

}  // namespace pipewright::torchtitan
