// The file of settings that a script of a shell hands to its program, with what the command line
// says over it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/job/job.hpp"

namespace pipewright::job {

/// How a framework's programs are given their settings.
struct Handing {
  std::string_view framework;
  std::span<const std::string_view> options;  ///< "--job.config_file", behind which the file stands
  std::string_view folder_option{};           ///< behind which the file's folder stands
  std::string_view suffix{};                  ///< of the file, where its name may lack it
  std::string_view variable{};  ///< of the environment, that names the file; may be empty
  bool has_options = false;  ///< settings are --section.key VALUE; else they are section.key=VALUE
  /// Returns where the file of a module of Python may lie that --module names; null where no
  /// program takes modules. Which function of it is meant, --config says.
  std::vector<std::string> (*files_of_module)(const std::string& module) = nullptr;
};

/// What a script hands over.
struct HandedOver {
  std::string file, text;
  std::vector<std::string> words;            ///< section.key=VALUE
  std::map<std::string, std::string> given;  ///< --define NAME=VALUE that the script does not take
  std::vector<std::string> refused{};        ///< what matters and cannot be said; under `partial`
};

/// Follows the script `source` to the first program that is given such a file. Throws InputError
/// where there is none, or where the file or a value is not known.
HandedOver handed_over(const Source& source, const Handing& handing);

/// Tells whether a text is a script that hands such a file over.
bool hands_over(std::string_view text, const Handing& handing);

}  // namespace pipewright::job
