#include "convert/formats/job_import.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "error_of.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

job::Import what_is_given(const job::Source& source) {
  job::Import import;
  for (const auto& [name, value] : source.given) import.experiment.set(name, config::scalar(value));
  if (source.read)
    if (const auto text = source.read("deep/down/other.sh"))
      import.experiment.set("other", config::scalar(*text));
  return import;
}

TEST(JobImport, definitions_and_files_beside_the_job_reach_its_reader) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/run.sh") << "x";
  std::ofstream(folder.path() + "/other.sh") << "beside";
  const std::string yaml = convert::import_job({.file = folder.path() + "/run.sh",
                                                .out = "-",
                                                .options = {{"define", {"A=1", "B=x=y"}}},
                                                .more = {}},
                                               what_is_given);
  EXPECT_NE(yaml.find("A: 1\n"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("B: x=y\n"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("other: beside\n"), std::string::npos) << yaml;
}

TEST(JobImport, settings_are_no_script) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/run") << "#!/bin/sh\n";
  std::ofstream(folder.path() + "/run.sh") << "a\n";
  std::ofstream(folder.path() + "/run.yaml") << "a: 1\n";
  const auto error = [&](const std::string& file) {
    return error_of([&] {
      convert::import_settings(
          {.file = folder.path() + file, .out = "-", .options = {}, .more = {}}, {what_is_given});
    });
  };
  std::ofstream(folder.path() + "/run.py") << "a = 1\n";
  EXPECT_NE(error("/run.py").find("run.py: error: a program is not run here"), std::string::npos);
  EXPECT_NE(error("/run").find("/run:1:1: error: this is a script of a shell"), std::string::npos);
  EXPECT_NE(error("/run.sh").find("run.sh:1:1: error: this is a script"), std::string::npos);
  EXPECT_EQ(error("/run.yaml"), "no error");
}

// A job of a checkout names files as they lie below its root.
TEST(JobImport, files_are_found_below_folders_that_the_job_is_in) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() + "/examples/a");
  std::filesystem::create_directories(folder.path() + "/deep/down");
  std::ofstream(folder.path() + "/examples/a/run.sh") << "x";
  std::ofstream(folder.path() + "/deep/down/other.sh") << "below";
  const std::string yaml = convert::import_job(
      {.file = folder.path() + "/examples/a/run.sh", .out = "-", .options = {}, .more = {}},
      what_is_given);
  EXPECT_NE(yaml.find("other: below\n"), std::string::npos) << yaml;
}

TEST(JobImport, a_name_may_say_that_a_file_is_no_yaml) {
  for (const char* file : {"a.yaml", "a.yml", "a.b/job"})
    EXPECT_TRUE(convert::may_be_yaml(file)) << file;
  for (const char* file : {"a.sh", "a.txt", "a.yaml.gz"})
    EXPECT_FALSE(convert::may_be_yaml(file)) << file;
}

TEST(JobImport, a_definition_has_a_name_and_is_given_once) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/run.sh") << "x";
  const auto import = [&](std::vector<std::string> definitions) {
    return error_of([&] {
      convert::import_job({.file = folder.path() + "/run.sh",
                           .out = "-",
                           .options = {{"define", std::move(definitions)}},
                           .more = {}},
                          what_is_given);
    });
  };
  EXPECT_EQ(import({"A"}), "error: --define A: must be NAME=VALUE");
  EXPECT_EQ(import({"A=1", "A=2"}), "error: --define A=2: 'A' is given twice");
}

TEST(JobImport, further_words_and_the_model_are_files_where_they_are_there) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/run.sh") << "x";
  std::ofstream(folder.path() + "/config.json") << "of a model";
  const std::string yaml = convert::import_job(
      {.file = folder.path() + "/run.sh",
       .out = "-",
       .options = {{"model", {folder.path()}}},
       .more = {"a=1"}},
      [](const job::Source& source) {
        job::Import import;
        import.experiment.set("word", config::scalar(source.further.at(0).word));
        import.experiment.set("is_file", job::truth(source.further[0].text.has_value()));
        import.experiment.set("model", config::scalar(*source.further.at(1).text));
        return import;
      });
  EXPECT_NE(yaml.find("word: a=1\nis_file: false\nmodel: of a model\n"), std::string::npos) << yaml;
}

}  // namespace
}  // namespace pipewright::test
