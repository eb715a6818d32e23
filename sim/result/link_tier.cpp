#include "result/link_tier.hpp"

#include <cctype>
#include <utility>

namespace pipewright {

std::string tier_of(const std::string& link) {
  std::string kinds;
  for (const char c : link)
    if (!std::isdigit(static_cast<unsigned char>(c))) kinds += c;
  const size_t between = kinds.find(" > ");
  if (between == std::string::npos) return kinds;
  std::string from = kinds.substr(0, between), to = kinds.substr(between + 3);
  if (to < from) std::swap(from, to);
  return from + '-' + to;
}

}  // namespace pipewright
