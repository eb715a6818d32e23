#include "schedule/torch_csv_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace pipewright::schedule {
namespace {

/// Tells whether a word is followed by a micro-batch.
enum class Numbered : uint8_t { always, maybe };

struct Spelling {
  std::string_view text;
  Word word;
  Numbered numbered;
};
constexpr Spelling spellings[] = {
    {"F", Word::f, Numbered::always},
    {"I", Word::i, Numbered::always},
    {"B", Word::b, Numbered::always},
    {"W", Word::w, Numbered::always},
    {"BW", Word::bw, Numbered::always},
    {"SEND_F", Word::communication, Numbered::always},
    {"RECV_F", Word::communication, Numbered::always},
    {"SEND_B", Word::communication, Numbered::always},
    {"RECV_B", Word::communication, Numbered::always},
    {"UNSHARD", Word::communication, Numbered::maybe},
    {"RESHARD", Word::communication, Numbered::maybe},
    {"REDUCE_GRAD", Word::communication, Numbered::maybe},
};
constexpr std::string_view pair_ending = "OVERLAP_F_B";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || c == '_'; }

/// A piece of a line and the column where it starts.
struct Piece {
  std::string_view text;
  int column;

  Piece trimmed() const {
    Piece p = *this;
    while (!p.text.empty() && is_space(p.text.front())) p.text.remove_prefix(1), ++p.column;
    while (!p.text.empty() && is_space(p.text.back())) p.text.remove_suffix(1);
    return p;
  }
  /// Takes what stands before the first `separator`, and the separator with it.
  Piece take(char separator) {
    const size_t length = std::min(text.find(separator), text.size());
    const Piece taken{text.substr(0, length), column};
    const size_t gone = std::min(length + 1, text.size());
    text.remove_prefix(gone);
    column += static_cast<int>(gone);
    return taken;
  }
};

/// Returns up to 40 characters of what a user wrote, without those that a terminal would act on.
std::string printable(std::string_view text) {
  std::string shown(text.substr(0, 40));
  std::ranges::replace_if(
      shown, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text.size() > 40 ? shown + "..." : shown;
}

/// The number at the start of `text`, which it is taken from; nothing where there is none that
/// fits.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

std::optional<Token> read_token(Piece piece) {
  Token token{.column = piece.column};
  std::string_view text = piece.text;
  const std::optional<int> stage = take_number(text);
  const size_t letters = std::ranges::find_if_not(text, is_letter) - text.begin();
  const auto spelling = std::ranges::find(spellings, text.substr(0, letters), &Spelling::text);
  if (!stage || spelling == std::end(spellings)) return std::nullopt;
  text.remove_prefix(letters);
  const bool numbered = !text.empty();
  const std::optional<int> micro_batch = take_number(text);
  if (!text.empty() || (numbered && !micro_batch)) return std::nullopt;
  if (!numbered && spelling->numbered == Numbered::always) return std::nullopt;
  token.word = spelling->word;
  token.stage = *stage;
  token.micro_batch = micro_batch.value_or(0);
  return token;
}

/// "(0F7;7B3)OVERLAP_F_B".
std::optional<Cell> read_pair(Piece piece) {
  piece.take('(');
  Piece inside = piece.take(')');
  const std::optional<Token> first = read_token(inside.take(';').trimmed());
  const std::optional<Token> second = read_token(inside.trimmed());
  if (!first || !second || piece.text != pair_ending) return std::nullopt;
  if (first->word != Word::f) return std::nullopt;
  if (second->word != Word::b && second->word != Word::bw && second->word != Word::i)
    return std::nullopt;
  return Cell{*first, second};
}

std::optional<Cell> read_cell(Piece piece) {
  if (piece.text.starts_with('(')) return read_pair(piece);
  const std::optional<Token> token = read_token(piece);
  if (!token) return std::nullopt;
  return Cell{*token, std::nullopt};
}

std::vector<Cell> read_row(const TorchCsv& csv, std::string_view line) {
  std::vector<Cell> cells;
  Piece rest{line, 1};
  while (!rest.text.empty()) {
    const Piece piece = rest.take(',').trimmed();
    if (piece.text.empty()) continue;
    const std::optional<Cell> cell = read_cell(piece);
    if (!cell) {
      csv.fail(csv.rows.size(), piece.column,
               fmt::format("'{}' must be an action such as 2F0, 2B0, 2I0 or 2W0 (stage, pass, "
                           "micro-batch), a pair such as (2F5;5B1)OVERLAP_F_B, or empty",
                           printable(piece.text)));
    }
    cells.push_back(*cell);
  }
  return cells;
}

}  // namespace

void TorchCsv::fail(size_t row, int column, const std::string& message) const {
  throw InputError(mark(row, column).where(), message);
}

TorchCsv read_cells(std::string_view text, std::string_view file_name) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  TorchCsv csv{.file = std::make_shared<const std::string>(file_name)};
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  while (!text.empty() && (is_space(text.back()) || text.back() == '\n')) text.remove_suffix(1);
  Piece rest{text, 1};
  while (!rest.text.empty()) csv.rows.push_back(read_row(csv, rest.take('\n').text));
  return csv;
}

}  // namespace pipewright::schedule
