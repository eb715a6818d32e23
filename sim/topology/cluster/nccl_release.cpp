// NCCL of PyTorch's wheels for CUDA 12. Source: what their metadata requires (nvidia-nccl-cu12).
#include "topology/cluster/nccl_release.hpp"

#include <charconv>

namespace pipewright {
namespace {

struct Shipped {
  std::string_view pytorch, nccl;
};

constexpr Shipped shipped[] = {{"2.1", "2.18"}, {"2.2", "2.19"}, {"2.3", "2.20"}, {"2.4", "2.20"},
                               {"2.5", "2.21"}, {"2.6", "2.21"}, {"2.7", "2.26"}, {"2.8", "2.27"}};

/// Reads a number from the front of `text` and takes it away.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || number > 999) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

bool take_point(std::string_view& text) {
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return true;
}

/// Major and minor number; a third may follow.
std::optional<std::pair<int, int>> parts(std::string_view text) {
  const std::optional<int> major = take_number(text);
  if (!major || !take_point(text)) return std::nullopt;
  const std::optional<int> minor = take_number(text);
  if (!minor) return std::nullopt;
  if (take_point(text) && !take_number(text)) return std::nullopt;
  if (!text.empty()) return std::nullopt;
  return std::pair{*major, *minor};
}

}  // namespace

int read_nccl_release(const config::Value& value) {
  const auto release = parts(config::as_text(value, "a release"));
  if (!release || release->first != 2) value.fail("expected a release of NCCL, such as 2.18");
  return release->first * 1000 + release->second;
}

std::optional<std::string_view> nccl_of_pytorch(std::string_view release) {
  const auto asked = parts(release);
  if (!asked) return std::nullopt;
  for (const Shipped& one : shipped)
    if (parts(one.pytorch) == asked) return one.nccl;
  return std::nullopt;
}

}  // namespace pipewright
