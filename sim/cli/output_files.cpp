#include "cli/output_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/options.hpp"
#include "experiment/document_paths.hpp"

namespace pipewright::cli {
namespace {

namespace fs = std::filesystem;
using Values = boost::program_options::variables_map;

constexpr const char* outputs[] = {"json",   "csv",   "html",      "trace",
                                   "output", "store", "residuals", "anchor"};
/// What a folder gets (write_outcome()).
constexpr std::string_view in_folder[] = {"result.json", "results.json", "trace.json",
                                          "result.csv",  "results.csv",  "report.html"};

bool is_output(const std::string& option) {
  return std::ranges::find(outputs, option) != std::end(outputs);
}

/// The texts that an option was given; none where they are a default's or no texts.
std::vector<std::string> texts_of(const boost::program_options::variable_value& value) {
  if (value.defaulted()) return {};
  if (value.value().type() == typeid(std::string)) return {value.as<std::string>()};
  if (value.value().type() == typeid(std::vector<std::string>))
    return value.as<std::vector<std::string>>();
  return {};
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  return fs::is_regular_file(one, ignored) && fs::equivalent(one, other, ignored);
}

bool overwrites(const std::string& output, const std::string& input) {
  std::error_code ignored;
  if (is_same_file(output, input)) return true;
  return fs::is_directory(output, ignored) &&
         std::ranges::any_of(in_folder, [&](std::string_view name) {
           return is_same_file(fs::path(output) / name, input);
         });
}

/// One name for all spellings of a file that may not be there yet.
std::string one_name(const std::string& file) {
  std::error_code error;
  const fs::path path = file == "-" ? fs::path() : fs::weakly_canonical(fs::absolute(file), error);
  return path.empty() ? file : path.string();
}

void check_inputs(const Values& values, const char* output, const std::string& file) {
  for (const auto& [option, value] : values) {
    if (is_output(option)) continue;
    for (const std::string& input : texts_of(value))
      if (overwrites(file, input))
        throw InputError(
            fmt::format("--{} {} would overwrite '{}', which is read: write to another file",
                        output, file, input));
  }
}

}  // namespace

void check_output_files(const Values& values) {
  std::map<std::string, std::string> option_of;  // by the file that it names
  for (const char* output : outputs) {
    if (!values.contains(output)) continue;
    for (const std::string& file : texts_of(values[output])) {
      if (file.empty()) throw InputError(fmt::format("--{} needs the name of a file", output));
      const auto [other, is_new] = option_of.try_emplace(one_name(file), output);
      if (!is_new)
        throw InputError(fmt::format("--{} and --{} both name '{}': each needs a file of its own",
                                     other->second, output, file));
      check_inputs(values, output, file);
    }
  }
}

void check_output_files(const Outputs& outputs, const config::Value& experiment) {
  const std::pair<const char*, const std::string*> given[] = {{"--json", &outputs.json},
                                                              {"--trace", &outputs.trace},
                                                              {"--csv", &outputs.csv},
                                                              {"--html", &outputs.html},
                                                              {"-o", &outputs.folder}};
  for (const std::string& input : files_named_by(experiment))
    for (const auto& [option, file] : given)
      if (!file->empty() && overwrites(*file, input))
        throw InputError(fmt::format(
            "{} {} would overwrite '{}', which the experiment names: write to another file", option,
            *file, input));
}

}  // namespace pipewright::cli
