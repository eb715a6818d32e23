// What stands in front of lines:
//   [1,0]<stdout>:  [job@1,0]<stdout>:  Wed May  1 12:00:00 2024[1,0]<stdout>:   Open MPI, PRRTE
//   [3]                                                                          Intel MPI, MPICH
//   0:  node01:                                                                  srun -l, pdsh
//   2024-05-01T12:00:00.123Z                                                     Kubernetes, Docker
//   [pod/name/container]   worker-1  |                                           kubectl, compose
// No line of nccl-tests or of NCCL begins so.
#include "interop/launched_line.hpp"

#include <algorithm>

namespace pipewright::interop {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view past_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text;
}

/// Takes sequences such as ESC[31m away.
std::string without_colours(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const size_t escape = line.find("\x1b[");
    text += line.substr(0, escape);
    if (escape == std::string_view::npos) break;
    const size_t end = line.find_first_not_of("0123456789;?", escape + 2);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return text;
}

/// Tells whether a word is a date and a time as ISO 8601 writes them.
bool is_moment(std::string_view word) {
  if (word.size() < 19 || word[10] != 'T') return false;
  std::string shape(word.substr(0, 19));
  for (char& c : shape)
    if (c >= '0' && c <= '9') c = '0';
  return shape == "0000-00-00T00:00:00";
}

/// Takes one launcher's part away; returns all of the line where there is none.
std::string_view peeled(std::string_view line) {
  for (const std::string_view stream : {"<stdout>:", "<stderr>:"})
    if (const size_t tag = line.find(stream); tag != std::string_view::npos)
      return line.substr(tag + stream.size());
  const std::string_view text = past_blanks(line);
  const size_t rank = std::min(text.find_first_not_of("0123456789"), text.size());
  if (rank > 0 && text.substr(rank).starts_with(':')) return past_blanks(text.substr(rank + 1));
  const size_t end = std::min(text.find_first_of(blanks), text.size());
  const std::string_view word = text.substr(0, end), rest = past_blanks(text.substr(end));
  if (word.empty() || rest.empty()) return line;
  const bool is_bracket = word.front() == '[' && word.back() == ']';
  if (is_bracket || word.back() == ':' || is_moment(word)) return rest;
  return rest.starts_with("| ") ? rest.substr(2) : line;
}

}  // namespace

std::string written_line(std::string_view line) {
  const std::string plain = without_colours(line);
  std::string_view text = plain, before;
  do {
    before = text;
    text = peeled(text);
  } while (text.size() < before.size());
  return std::string(text);
}

}  // namespace pipewright::interop
