// Words of the matrix that `nvidia-smi topo -m` prints.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "interop/topo_matrix.hpp"
#include "interop/words.hpp"

namespace pipewright::interop {

/// Returns `text` with blanks in place of escape sequences, so that columns stay where they are.
inline std::string without_escapes(std::string_view text) {
  std::string plain(text);
  for (size_t at = plain.find('\x1b'); at != std::string::npos; at = plain.find('\x1b', at)) {
    plain[at++] = ' ';
    if (at < plain.size() && plain[at] == '[') plain[at++] = ' ';
    while (at < plain.size() &&
           std::string_view("0123456789;").find(plain[at]) != std::string::npos)
      plain[at++] = ' ';
    if (at < plain.size() && plain[at] == 'm') plain[at] = ' ';
  }
  return plain;
}

inline bool is_gpu(std::string_view word) {
  return word.starts_with("GPU") && number_of<unsigned>(word.substr(3)).has_value();
}

/// Whether `word` may be the name of a thing: printable ASCII.
inline bool is_name(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c <= '~'; });
}

/// Returns what a cell says, or nothing for what is none.
inline std::optional<TopoPath> path_of(std::string_view word) {
  constexpr std::pair<std::string_view, PathKind> kinds[] = {
      {"X", PathKind::self},  {"PIX", PathKind::pix},   {"PXB", PathKind::pxb},
      {"PHB", PathKind::phb}, {"NODE", PathKind::node}, {"SYS", PathKind::sys},
      {"SOC", PathKind::sys}};
  for (const auto& [name, kind] : kinds)
    if (word == name) return TopoPath{kind};
  if (!word.starts_with("NV")) return std::nullopt;
  const auto links = number_of<int>(word.substr(2));
  if (!links || *links < 1 || *links > 64) return std::nullopt;
  return TopoPath{PathKind::nvlink, *links};
}

}  // namespace pipewright::interop
