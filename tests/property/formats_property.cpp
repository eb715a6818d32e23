// Every format of other tools' files, by what it declares of itself.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "convert/formats/format.hpp"
#include "support/experiments.hpp"
#include "support/fuzz_corpus.hpp"
#include "support/temporary_folder.hpp"

namespace pipewright::convert {
namespace {

namespace fs = std::filesystem;

void expect_half_a_line(std::string_view text, std::string_view format) {
  EXPECT_FALSE(text.empty()) << format;
  EXPECT_EQ(text.find('\n'), std::string_view::npos) << format;
  EXPECT_FALSE(text.ends_with('.')) << format;
}

TEST(Formats, say_what_they_are) {
  std::set<std::string_view> names;
  for (const Format* format : formats()) {
    EXPECT_TRUE(names.insert(format->name).second) << format->name;
    EXPECT_EQ(find_format(format->name), format);
    expect_half_a_line(format->summary, format->name);
    EXPECT_TRUE(format->reading || format->writing) << format->name;
    if (format->reading) expect_half_a_line(format->reading.makes, format->name);
    if (format->writing) expect_half_a_line(format->writing.holds, format->name);
    EXPECT_EQ(format->reading.help.empty(), !format->reading) << format->name;
    EXPECT_EQ(format->writing.help.empty(), !format->writing) << format->name;
    for (const Option& option : format->reading.options)
      EXPECT_FALSE(option.name.empty() || option.help.empty()) << format->name;
    EXPECT_TRUE(format->fuzz || format->reading.run) << format->name << " cannot be fuzzed";
  }
}

Time makespan(const config::Value& experiment) {
  Time end;
  for (const Span& span : test::run(experiment, false).timeline.spans)
    end = std::max(end, span.end);
  return end;
}

/// What came of a file that was written from `example`: the file again, or an experiment that takes
/// as long.
void expect_again(const Format& format, const std::string& read, const std::string& file,
                  const config::Value& example) {
  if (fs::exists(file) && read == config::read_file(file)) return;
  EXPECT_EQ(makespan(config::parse(read, "imported.yaml")), makespan(example)) << format.name;
}

TEST(Formats, that_are_written_and_read_come_back) {
  for (const Format* format : formats()) {
    if (!format->writing || !format->reading.run) continue;
    ASSERT_FALSE(format->writing.example.empty()) << format->name << " needs an example";
    const test::TemporaryFolder folder;
    const std::string file = folder.path() + "/file";
    const config::Catalogue catalogue;
    const config::Value example = test::experiment(format->writing.example);
    const Experiment experiment = read_experiment(resolve(example, catalogue));
    format->writing.run({experiment, catalogue, {}, file});
    EXPECT_EQ(format_of(file), format) << "a file of " << format->name;
    expect_again(*format, format->reading.run({.file = file, .out = "-", .options = {}}), file,
                 example);
  }
}

TEST(Formats, know_their_own_files) {
  for (const Format* format : formats())
    for (const std::string& file : test::corpus_of(*format)) {
      const Format* looks = format_of(file);
      if (!looks && !format->recognises) continue;
      if (!looks && format->writing.has_prefix) continue;  // several files in one
      EXPECT_EQ(looks ? looks->name : "nothing", format->name) << file;
    }
}

TEST(Formats, read_what_fuzzing_starts_from) {
  for (const Format* format : formats()) {
    int read = 0;
    for (const std::string& file : test::corpus_of(*format)) {
      try {
        fuzz(*format, config::read_file(file));
        ++read;
      } catch (const InputError&) {
      }
    }
    EXPECT_TRUE(read > 0 || test::corpus_of(*format).empty()) << format->name;
  }
}

}  // namespace
}  // namespace pipewright::convert
