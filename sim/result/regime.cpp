#include "result/regime.hpp"

#include <fmt/format.h>

namespace pipewright {
namespace {

std::string nodes_text(int nodes) {
  if (nodes == 1) return "1 node";
  if (nodes <= 4) return "2 to 4 nodes";
  return nodes <= 16 ? "5 to 16 nodes" : "more than 16 nodes";
}

std::string kernels_text(double datasheet) {
  if (datasheet > 0.5) return "kernels by data sheet";
  return datasheet > 0.25 ? "kernels measured in part" : "measured kernels";
}

}  // namespace

std::string Regime::text() const {
  if (framework == "given") return "times that the experiment gives";
  return fmt::format("{} on {}, {}, {}, {}", framework, device.empty() ? "other devices" : device,
                     precision, nodes_text(nodes), kernels_text(datasheet));
}

}  // namespace pipewright
