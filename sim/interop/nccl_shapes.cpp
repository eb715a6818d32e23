#include "interop/nccl_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace pipewright::interop {

std::string shapes_text(std::span<const NcclPoint> points) {
  std::vector<std::string> shapes;
  for (const NcclPoint& point : points) {
    std::string shape =
        fmt::format("{} over {} ranks ({})", point.operation, point.ranks, point.type);
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(std::move(shape));
  }
  const std::vector<std::string_view> words(shapes.begin(), shapes.end());
  return join(words);
}

}  // namespace pipewright::interop
