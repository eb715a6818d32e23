// The cells of PyTorch's pipeline CSV (torch_csv.hpp): text to words, before they mean anything.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.hpp"

namespace pipewright::schedule {

/// The meaning of the letters of a cell, in whichever notation.
enum class Word : uint8_t { f, i, b, w, bw, communication };

/// "2F0", and where it stands.
struct Token {
  Word word = Word::f;
  int stage = 0;
  int micro_batch = 0;
  int column = 0;
};

/// One action, or the two of an overlapped pair.
struct Cell {
  Token first;
  std::optional<Token> second;
};

struct TorchCsv {
  std::shared_ptr<const std::string> file;
  std::vector<std::vector<Cell>> rows;  ///< line by line, without empty cells

  config::Mark mark(size_t row, int column) const {
    return {file, static_cast<int>(row) + 1, column};
  }
  [[noreturn]] void fail(size_t row, int column, const std::string& message) const;
};

/// Throws InputError for a cell that is not one of the form's. Empty lines at the end are left out.
TorchCsv read_cells(std::string_view text, std::string_view file_name);

}  // namespace pipewright::schedule
