// Jobs of other frameworks that fuzzing starts from: what was read of one is written as a job of
// any framework and read again, or the export says what the framework cannot say.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "convert/formats/format.hpp"
#include "support/fuzz_corpus.hpp"
#include "support/said_experiment.hpp"
#include "support/temporary_folder.hpp"

namespace pipewright::convert {
namespace {

namespace fs = std::filesystem;

bool has_option(const Format& format, std::string_view name) {
  const std::vector<Option>& options = format.reading.options;
  return std::ranges::find(options, name, &Option::name) != options.end();
}

/// Formats of jobs, which take variables from outside.
std::vector<const Format*> written_jobs() {
  std::vector<const Format*> jobs = exported_formats();
  std::erase_if(jobs, [](const Format* format) { return !has_option(*format, "define"); });
  return jobs;
}

/// Reads what can be said of a job, with a model where the job says none.
std::string imported(const Format& format, const std::string& file) {
  ImportRequest request{.file = file, .out = "-", .options = {}, .more = {}};
  request.options["partial"] = {};
  try {
    return format.reading.run(request);
  } catch (const InputError& error) {
    const std::string_view several = "which configuration? --define CONFIG=NAME says it: ";
    if (const size_t at = error.message().find(several); at != std::string::npos) {
      const std::string names = error.message().substr(at + several.size());
      request.options["define"] = {"CONFIG=" + names.substr(0, names.find(','))};
    } else if (has_option(format, "model")) {
      request.options["model"] = {"llama-2-7b"};
    } else {
      throw;
    }
    return format.reading.run(request);
  }
}

/// Returns whether `format` can say what `text` does.
bool comes_back(const Format& format, const std::string& text) {
  const config::Catalogue catalogue;
  const Experiment experiment = read_experiment(resolve(config::parse(text, "x.yaml"), catalogue));
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/job";
  try {
    format.writing.run({experiment, catalogue, {}, file});
  } catch (const InputError& error) {
    EXPECT_NE(error.message().find("cannot say"), std::string::npos) << error.what();
    EXPECT_FALSE(fs::exists(file));
    return false;
  }
  const std::string again = format.reading.run({.file = file, .out = "-", .options = {}});
  EXPECT_EQ(test::said(again), test::said(text)) << config::read_file(file) << again;
  return true;
}

TEST(JobCorpus, what_was_read_is_written_and_read_again) {
  const std::vector<const Format*> jobs = written_jobs();
  for (const Format* from : jobs)
    for (const std::string& file : test::corpus_of(*from)) {
      const std::string text = imported(*from, file);
      ASSERT_TRUE(test::said(text)) << file << text;
      const auto says = [&](const Format* to) { return comes_back(*to, text); };
      EXPECT_GT(std::ranges::count_if(jobs, says), 0) << file;
    }
}

}  // namespace
}  // namespace pipewright::convert
