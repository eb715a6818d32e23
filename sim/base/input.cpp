#include "base/input.hpp"

#include <fmt/format.h>

#include <array>

#include "base/text.hpp"

namespace pipewright {

std::string read_all(std::istream& in, const std::string& name, const Where& named_at,
                     size_t most) {
  std::string text;
  std::array<char, 1 << 16> part;
  do {
    in.read(part.data(), part.size());
    text.append(part.data(), static_cast<size_t>(in.gcount()));
    if (text.size() > most)
      throw InputError(named_at, fmt::format("{} is larger than {}, the most that is read", name,
                                             human_bytes(static_cast<double>(most))));
  } while (in);
  if (in.bad()) throw InputError(named_at, fmt::format("cannot read {}", name));
  return text;
}

}  // namespace pipewright
