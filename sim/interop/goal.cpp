#include "interop/goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <istream>

#include "interop/goal_reader.hpp"

namespace pipewright::goal {
namespace {

constexpr size_t piece = 1 << 20;  ///< bytes read at once; no line may be longer

/// Reads all of `in` by whole lines.
void read_stream(std::istream& in, Reader& reader) {
  std::string buffer;
  while (in) {
    const size_t kept = buffer.size();
    buffer.resize(kept + piece);
    in.read(buffer.data() + kept, piece);
    buffer.resize(kept + static_cast<size_t>(in.gcount()));
    const size_t line_end = buffer.rfind('\n');
    if (line_end == std::string::npos) {
      if (buffer.size() >= piece) {
        reader.scanner().fail_at_line(reader.scanner().line(),
                                      fmt::format("a line of more than {} bytes", piece));
      }
      continue;
    }
    reader.read(std::string_view(buffer).substr(0, line_end + 1));
    buffer.erase(0, line_end + 1);
  }
  reader.read(buffer);
}

}  // namespace

uint32_t Goal::rank_of(uint32_t op) const {
  // Ranks need not lie in the order of their ops.
  const auto holds = [&](const Rank& rank) { return op - rank.first < rank.count; };
  const auto found = std::find_if(ranks.begin(), ranks.end(), holds);
  return static_cast<uint32_t>(found - ranks.begin());
}

Where Goal::where(uint32_t op) const {
  if (file_of_rank) return {file_of_rank(file, rank_of(op)), 0, 0};
  return {file, static_cast<int>(ops[op].line), ops[op].column};
}

std::string Goal::name(uint32_t op) const {
  return labels[op] ? label_table.text(labels[op]) : fmt::format("op at line {}", ops[op].line);
}

Goal parse(std::string_view text, std::string_view file_name) {
  Reader reader(file_name);
  reader.read(text);
  return reader.finish();
}

Goal read_file(const std::string& path, const Where& named_at) {
  if (path == "-") {
    Reader reader("standard input");
    read_stream(std::cin, reader);
    return reader.finish();
  }
  Reader reader(path);
  std::ifstream file(path, std::ios::binary);
  if (file) read_stream(file, reader);
  // Opening a folder succeeds and reading it fails, so look at both.
  if (!file.is_open() || file.bad())
    throw UnreadableFile(named_at, path, fmt::format("cannot read file '{}'", path));
  return reader.finish();
}

}  // namespace pipewright::goal
