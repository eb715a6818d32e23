#include "interop/shell_words.hpp"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <utility>

namespace pipewright::shell {
namespace {

constexpr size_t most_words = 1'000'000, longest_word = 1'000'000;

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<Command> all() {
    Command command;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && peek(1) == '\n') {
        step(2);
      } else if (c == '\n' || c == ';' || c == '&' || c == '|') {
        step(1);
        if (!command.empty()) commands_.push_back(std::exchange(command, {}));
      } else if (std::isspace(static_cast<unsigned char>(c))) {
        step(1);
      } else if (c == '#') {
        skip_comment();
      } else if (command.empty() && is_assignment()) {
        assign();
      } else {
        take_word(command);
      }
    }
    if (!command.empty()) commands_.push_back(std::move(command));
    return std::move(commands_);
  }

 private:
  char peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void step(size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_) {
      if (text_[at_] == '\n') ++line_, line_start_ = at_ + 1;
    }
  }

  int column() const { return static_cast<int>(at_ - line_start_) + 1; }

  [[noreturn]] void fail(int line, int column, const std::string& message) const {
    throw InputError({file_, line, column}, message);
  }

  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') step(1);
  }

  bool is_assignment() const {
    size_t end = at_;
    while (end < text_.size() && in_name(text_[end])) ++end;
    if (end > at_ && end < text_.size() && text_[end] == '+') ++end;
    return end > at_ && end < text_.size() && text_[end] == '=' &&
           !std::isdigit(static_cast<unsigned char>(text_[at_]));
  }

  void assign() {
    std::string name;
    for (; in_name(text_[at_]); step(1)) name += text_[at_];
    const bool more = text_[at_] == '+';
    step(more ? 2 : 1);
    // The old value may stand in the new one.
    Command value;
    if (more) value = variables_[name];
    if (peek(0) == '(')
      take_array(value);
    else
      take_scalar(value, more);
    variables_[name] = std::move(value);
  }

  void take_scalar(Command& value, bool more) {
    Command words;
    const Word place{"", line_, column()};
    take_word(words);
    Word joined = place;
    if (more && !value.empty()) joined.text = value.front().text;
    for (const Word& word : words) {
      if (!joined.text.empty() && &word != &words.front()) joined.text += ' ';
      joined.text += word.text;
    }
    value = {joined};
  }

  void take_array(Command& value) {
    const int line = line_, start = column();
    step(1);
    while (at_ < text_.size() && text_[at_] != ')') {
      if (text_[at_] == '#') {
        skip_comment();
      } else if (text_[at_] == '\\' && peek(1) == '\n') {
        step(2);
      } else if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        step(1);
      } else {
        take_word(value, true);
      }
    }
    if (at_ >= text_.size()) fail(line, start, "this '(' is not closed");
    step(1);
  }

  bool ends_word(char c, bool in_array) const {
    return std::isspace(static_cast<unsigned char>(c)) || c == ';' || c == '&' || c == '|' ||
           (in_array && c == ')');
  }

  /// One written word, which variables may make none or several.
  void take_word(Command& command, bool in_array = false) {
    word_ = {"", line_, column()};
    quoted_ = false;
    const size_t start = at_;
    while (at_ < text_.size() && !ends_word(text_[at_], in_array)) take_piece(command);
    if (at_ == start) step(1);
    finish_word(command);
  }

  void take_piece(Command& command) {
    const char c = text_[at_];
    if (c == '\\') {
      if (peek(1) != '\n') add(peek(1));
      step(2);
    } else if (c == '\'') {
      take_single_quoted();
    } else if (c == '"') {
      take_double_quoted(command);
    } else if (c == '$') {
      take_variable(command, false);
    } else {
      add(c);
      step(1);
    }
  }

  void add(char c) {
    if (c == '\0') return;
    word_.text += c;
    if (word_.text.size() > longest_word) fail(word_.line, word_.column, "this word is too long");
  }

  void finish_word(Command& command) {
    if (word_.text.empty() && !quoted_) return;
    command.push_back(word_);
    if (++words_ > most_words) fail(word_.line, word_.column, "more than a million words");
    word_.text.clear();
    quoted_ = false;
  }

  void take_single_quoted() {
    const int line = line_, start = column();
    quoted_ = true;
    for (step(1); at_ < text_.size() && text_[at_] != '\''; step(1)) add(text_[at_]);
    if (at_ >= text_.size()) fail(line, start, "this quote is not closed");
    step(1);
  }

  void take_double_quoted(Command& command) {
    const int line = line_, start = column();
    quoted_ = true;
    step(1);
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '$') {
        take_variable(command, true);
        continue;
      }
      if (text_[at_] == '\\') {
        step(1);
        if (peek(0) == '\n') {
          step(1);
          continue;
        }
      }
      add(peek(0));
      step(1);
    }
    if (at_ >= text_.size()) fail(line, start, "this quote is not closed");
    step(1);
  }

  /// $NAME, ${NAME}, ${NAME:-otherwise}, ${NAME[@]}; anything else stays as it is.
  void take_variable(Command& command, bool quoted) {
    const size_t start = at_;
    const bool braces = peek(1) == '{';
    size_t end = at_ + (braces ? 2 : 1);
    std::string name;
    for (; end < text_.size() && in_name(text_[end]); ++end) name += text_[end];
    const size_t close = braces ? text_.find('}', end) : end;
    if (name.empty() || close == std::string_view::npos) {
      add('$');
      step(1);
      return;
    }
    std::string_view rest = text_.substr(end, close - end);
    step(close - start + (braces ? 1 : 0));
    const auto found = variables_.find(name);
    if (found != variables_.end()) return expand(found->second, rest, quoted, command);
    if (rest.starts_with(":-") || rest.starts_with(":=")) {
      rest.remove_prefix(2);
    } else if (rest.starts_with("-")) {
      rest.remove_prefix(1);
    } else {
      rest = text_.substr(start, at_ - start);
    }
    for (const char c : rest) add(c);
  }

  void expand(const Command& value, std::string_view rest, bool quoted, Command& command) {
    const bool array = rest == "[@]" || rest == "[*]";
    const Command copy = value;
    for (size_t i = 0; i < copy.size(); ++i) {
      if (i > 0 && !array) break;
      if (i > 0) finish_word(command);
      if (array) word_.line = copy[i].line, word_.column = copy[i].column;
      for (const char c : copy[i].text) {
        if (!quoted && !array && std::isspace(static_cast<unsigned char>(c)))
          finish_word(command);
        else
          add(c);
      }
    }
    if (array && copy.empty()) quoted_ = false;
  }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0, line_start_ = 0, words_ = 0;
  int line_ = 1;
  Word word_;
  bool quoted_ = false;
  std::map<std::string, Command> variables_;
  std::vector<Command> commands_;
};

}  // namespace

std::vector<Command> commands(std::string_view text, const std::string& file) {
  return Reader(text, file).all();
}

}  // namespace pipewright::shell
