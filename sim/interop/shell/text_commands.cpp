// Commands that make one text of others, or none: cat, tee, sed, perl -p, printf, cp, mv and rm.
#include <algorithm>
#include <iterator>
#include <utility>

#include "interop/shell/commands.hpp"
#include "interop/shell/cursor.hpp"
#include "interop/shell/interpreter.hpp"
#include "interop/shell/sed.hpp"

namespace pipewright::shell {
namespace {

using Words = std::vector<Text>;

constexpr size_t largest_text = 1'000'000;

bool is_option(const Text& word) {
  const std::string text = written(word);
  return text.size() > 1 && text.starts_with('-');
}

Words without_options(const Words& words) {
  Words names;
  std::copy_if(words.begin() + 1, words.end(), std::back_inserter(names),
               [](const Text& word) { return !is_option(word); });
  return names;
}

/// Returns the files that words name, one behind the other; nothing where one is not known.
std::optional<Text> files(Interpreter& shell, const Node& node, const Words& names) {
  if (names.empty()) return input_of(shell, node);
  Text all;
  for (const Text& name : names) {
    const std::optional<Text> one =
        written(name) == "-" ? input_of(shell, node) : shell.file(written(name));
    if (!one || characters_in(all) + characters_in(*one) > largest_text) return std::nullopt;
    all.insert(all.end(), one->begin(), one->end());
  }
  return all;
}

Truth print(Interpreter& shell, const std::optional<Text>& text) {
  if (text)
    shell.print(*text);
  else
    shell.lose_output();
  return yes;
}

Truth cat(Interpreter& shell, const Node& node, const Words& words) {
  const Words names = without_options(words);
  // Options change the text.
  if (names.size() + 1 != words.size()) return print(shell, std::nullopt);
  return print(shell, files(shell, node, names));
}

Truth tee(Interpreter& shell, const Node& node, const Words& words) {
  const std::optional<Text> text = input_of(shell, node);
  bool appends = false;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string word = written(words[i]);
    if (is_option(words[i]))
      appends = appends || word == "-a" || word == "--append";
    else
      shell.write(word, text, appends);
  }
  return print(shell, text);
}

struct SedCall {
  std::optional<std::vector<Substitution>> substitutions = std::vector<Substitution>{};
  Words files;
  bool in_place = false;

  void add(const Text& script, bool extended) {
    std::optional<std::vector<Substitution>> more = read_sed(script, extended);
    if (!more || !substitutions)
      substitutions = std::nullopt;
    else
      std::move(more->begin(), more->end(), std::back_inserter(*substitutions));
  }
};

/// Reads the letters of `word`, of which -i takes the rest as a suffix. Returns whether -E or -r is
/// among them; others change the text in ways that are not followed.
bool read_letters(const std::string& word, SedCall& call) {
  bool extended = false;
  for (const char letter : word.substr(1)) {
    if (letter == 'i') {
      call.in_place = true;
      break;
    }
    if (letter == 'E' || letter == 'r')
      extended = true;
    else
      call.substitutions = std::nullopt;
  }
  return extended;
}

SedCall sed_call(const Words& words) {
  SedCall call;
  Words scripts;
  bool extended = false, is_named = false;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string word = written(words[i]);
    if (word == "-e" && i + 1 < words.size())
      scripts.push_back(words[++i]), is_named = true;
    else if (word.starts_with("--in-place"))
      call.in_place = true;
    else if (word.starts_with("--"))
      call.substitutions = std::nullopt;
    else if (is_option(words[i]))
      extended = read_letters(word, call) || extended;
    else
      call.files.push_back(words[i]);
  }
  if (!is_named && !call.files.empty()) {
    scripts.push_back(call.files.front());
    call.files.erase(call.files.begin());
  }
  for (const Text& script : scripts) call.add(script, extended);
  return call;
}

/// perl -p -e 's/.../.../': as sed -E, where Perl puts no variable into it and takes line by line.
SedCall perl_call(const Words& words) {
  SedCall call;
  Words scripts;
  bool prints = false;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string word = written(words[i]);
    if (!is_option(words[i])) {
      call.files.push_back(words[i]);
      continue;
    }
    const std::string letters = word.substr(1, word.find('.') - 1);
    prints = prints || letters.find('p') != std::string::npos;
    call.in_place = call.in_place || letters.find('i') != std::string::npos;
    if (letters.find_first_not_of("pie") != std::string::npos) call.substitutions = std::nullopt;
    if (letters.ends_with('e') && i + 1 < words.size()) scripts.push_back(words[++i]);
  }
  for (const Text& script : scripts)
    if (written(script).find_first_of("$@") != std::string::npos)
      call.substitutions = std::nullopt;
    else
      call.add(script, true);
  if (!prints || scripts.empty()) call.substitutions = std::nullopt;
  return call;
}

std::optional<Text> filled(const SedCall& call, std::optional<Text> text) {
  if (!call.substitutions) return std::nullopt;
  for (const Substitution& substitution : *call.substitutions)
    if (text) text = substitute(*text, substitution, largest_text);
  return text;
}

Truth change(Interpreter& shell, const Node& node, const SedCall& call) {
  if (!call.in_place) return print(shell, filled(call, files(shell, node, call.files)));
  for (const Text& name : call.files)
    shell.write(written(name), filled(call, shell.file(written(name))));
  return yes;
}

Truth sed(Interpreter& shell, const Node& node, const Words& words) {
  return change(shell, node, sed_call(words));
}

Truth perl(Interpreter& shell, const Node& node, const Words& words) {
  return change(shell, node, perl_call(words));
}

/// cp, mv: of one file to a name.
Truth copy(Interpreter& shell, const Node&, const Words& words) {
  const Words names = without_options(words);
  if (names.size() == 2) shell.write(written(names[1]), shell.file(written(names[0])));
  return yes;
}

Truth remove(Interpreter& shell, const Node&, const Words& words) {
  for (const Text& name : without_options(words)) shell.remove(written(name));
  return yes;
}

/// Adds what a backslash of a format stands for, at `at`. Returns false where nobody knows here.
bool add_escape(const std::string& format, size_t& at, std::string& text) {
  constexpr std::string_view letters = "nt\\\"'", meanings = "\n\t\\\"'";
  const size_t which = at + 1 < format.size() ? letters.find(format[at + 1]) : letters.npos;
  if (which == letters.npos) return false;
  text += meanings[which];
  ++at;
  return true;
}

/// A format of printf with %s, %d and %%, and its arguments.
class Formatting {
 public:
  Formatting(const Words& words, const Place& place) : words_(words), place_(place) {}

  /// Returns the text, for which the format is used until no argument is left; nothing for other
  /// formats.
  std::optional<Text> run() {
    const std::optional<std::string> format = words_.empty() ? std::nullopt : known(words_.front());
    if (!format) return std::nullopt;
    do {
      const size_t before = next_;
      if (!once(*format) || size_ > largest_text) return std::nullopt;
      if (next_ == before) break;  // the format takes no arguments
    } while (next_ < words_.size());
    return std::move(result_);
  }

 private:
  bool once(const std::string& format) {
    std::string text;
    for (size_t at = 0; at < format.size(); ++at) {
      const char c = format[at];
      const bool is_read = c == '\\'  ? add_escape(format, at, text)
                           : c == '%' ? add_argument(format, ++at, text)
                                      : (text += c, true);
      if (!is_read) return false;
    }
    add({{text, place_, true, nullptr}});
    return true;
  }

  bool add_argument(const std::string& format, size_t at, std::string& text) {
    const char kind = at < format.size() ? format[at] : '\0';
    if (kind == '%') text += '%';
    if (kind != 's' && kind != 'd') return kind == '%';
    add({{std::exchange(text, {}), place_, true, nullptr}});
    if (next_ < words_.size())
      add(words_[next_]);
    else if (kind == 'd')
      add({{"0", place_, true, nullptr}});
    ++next_;
    return true;
  }

  void add(const Text& more) {
    size_ += characters_in(more);
    if (size_ <= largest_text) result_.insert(result_.end(), more.begin(), more.end());
  }

  const Words& words_;
  const Place& place_;
  Text result_;
  size_t size_ = 0;
  size_t next_ = 1;
};

/// printf FORMAT ...; -v puts the text into a variable.
Truth print_formatted(Interpreter& shell, const Node& node, const Words& words) {
  const bool into_variable = words.size() > 2 && written(words[1]) == "-v";
  Words rest(words.begin() + (into_variable ? 3 : 1), words.end());
  if (!rest.empty() && written(rest.front()) == "--") rest.erase(rest.begin());
  const std::optional<Text> text = Formatting(rest, node.place).run();
  if (!into_variable) return print(shell, text);
  const std::string name = written(words[2]);
  shell.environment().set(
      name, text ? *text : text_of(Unknown{"what printf makes", name, false}, node.place));
  return yes;
}

constexpr NamedBuiltin text_commands[] = {
    {"cat", cat}, {"tee", tee},   {"sed", sed},   {"cp", copy},
    {"mv", copy}, {"rm", remove}, {"perl", perl}, {"printf", print_formatted}};

}  // namespace

std::optional<Text> input_of(Interpreter& shell, const Node& node) {
  std::optional<Text> input = shell.take_input();
  for (const Redirection& one : node.redirections) {
    if (one.operation == "<") input = shell.file(written(shell.expander().text(one.target)));
    if (one.operation != "<<" && one.operation != "<<<") continue;
    input = shell.expander().text(one.target);
    if (one.operation == "<<<") input->push_back({"\n", node.place, true, nullptr});
  }
  return input;
}

Builtin find_text_command(std::string_view name) { return builtin_of(text_commands, name); }

}  // namespace pipewright::shell
