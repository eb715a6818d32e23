// A shell script as a tree: what Bash's grammar has in launch scripts.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interop/shell/text.hpp"

namespace pipewright::shell {

struct Node;
struct Word;

/// ${NAME[INDEX] OPERATION ARGUMENT}.
struct Parameter {
  std::string name;
  char sigil = '\0';                  ///< '#' for a length, '!' for a variable named by another
  bool indexed = false;               ///< [INDEX] is there
  std::string operation;              ///< ":-", "##", "//", ...; empty for the value as it is
  std::vector<Word> index, argument;  ///< each one word, or none
};

/// A stretch of a word.
struct Part {
  enum class Kind { literal, parameter, command, arithmetic };
  Kind kind = Kind::literal;
  std::string text;  ///< a literal; else what was written
  Place place;
  bool quoted = false;
  Parameter parameter;
  std::vector<Node> commands;  ///< of $(...)
};

struct Word {
  std::vector<Part> parts;
  Place place;
};

struct Assignment {
  std::string name;
  std::vector<Word> index;  ///< of NAME[INDEX]=; one word or none
  bool appends = false, is_array = false;
  std::vector<Word> values;  ///< one, or the elements of an array
  Place place;
};

struct Redirection {
  std::string operation;   ///< ">", ">>", ">|", ">&", "<", "<<", "<<<"
  Word target;             ///< the text itself for "<<" and "<<<"
  bool of_errors = false;  ///< 2> and others that are not about what is printed
};

/// A command, or what commands are composed with.
struct Node {
  enum class Kind {
    simple,      ///< assignments, words, redirections
    list,        ///< children one after the other
    both,        ///< && of two children
    either,      ///< || of two children
    negation,    ///< ! child
    pipeline,    ///< children joined by |
    branch,      ///< condition, body, and a third child for else
    loop,        ///< while: condition, body; `name` is "until" where that is meant
    each,        ///< for `name` in words: body
    counted,     ///< for ((texts)): body
    choice,      ///< case words[0]: a `pattern` child for each branch
    pattern,     ///< words, then one child
    function,    ///< `name` and body
    group,       ///< { child }
    subshell,    ///< ( child )
    arithmetic,  ///< ((text))
    condition    ///< [[ words ]]
  };
  Kind kind = Kind::list;
  Place place;
  std::string name, text;
  std::vector<Word> words;
  std::vector<Assignment> assignments;
  std::vector<Redirection> redirections;
  std::vector<Node> children;
};

/// Reads a script. Throws InputError for a quote, a bracket or a compound command that is not
/// closed and for what has no place in a script.
Node read_script(std::string_view text, const Place& place);

/// Reads `text` as it would stand between double quotes.
Word read_quoted(std::string_view text, const Place& place);

}  // namespace pipewright::shell
