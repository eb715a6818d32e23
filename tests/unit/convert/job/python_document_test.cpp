#include "convert/job/python_document.hpp"

#include <gtest/gtest.h>

#include "config/emit.hpp"
#include "convert/job/settings.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

std::string document_made_by(const std::string& body, bool partial = false,
                             job::Import* notes = nullptr) {
  const std::string text = "def f():\n" + body;
  const job::Source source{
      .text = text, .file = "run.py", .given = {}, .partial = partial, .read = {}};
  job::Import import;
  interop::python::Program program(text, "run.py", job::surroundings_of(source));
  const std::string yaml =
      config::to_yaml(job::document_of(program.call("f"), source, notes ? *notes : import));
  return yaml;
}

TEST(PythonDocument, objects_are_maps_with_their_class) {
  EXPECT_EQ(
      document_made_by("    c = a.B.Config(1, x=[2, None, True], y={'k': 'v'})\n    c.z.w = "
                       "0.5\n    return c\n"),
      "_target_: \"a.B.Config\"\n_args_: [1]\nx: [2, ~, true]\ny:\n  k: \"v\"\nz:\n  w: 0.5\n");
}

TEST(PythonDocument, what_is_not_known_says_so) {
  EXPECT_EQ(document_made_by("    c = A(x=n + 1)\n    c.z = c.y\n    return c\n"),
            "_target_: \"A\"\nx:\n  _unknown_: \"n + 1 is not known here: --define n=VALUE says "
            "it\"\nz:\n  _unknown_: \"A.y is not known here\"\n");
  config::Value value;
  value.set(job::unknown_key, config::scalar("n is not known here"));
  EXPECT_NE(error_of([&] { job::check_known(value); }).find("n is not known here"),
            std::string::npos);
}

TEST(PythonDocument, what_an_unknown_function_does_is_refused) {
  const std::string body = "    c = A(**g)\n    tune(c)\n    print(c)\n    return c\n";
  EXPECT_TRUE(error_of([&] {
                document_made_by(body);
              }).starts_with("run.py:3:5: error: what tune does to the job is not known"));
  job::Import notes;
  document_made_by(body, true, &notes);
  EXPECT_EQ(notes.refused.size(), 2U);
}

// An object that stands in two places is written in both: 30 of them are 2^30 values.
TEST(PythonDocument, what_is_written_has_an_end) {
  EXPECT_NE(error_of([] {
              document_made_by(
                  "    d = {}\n    for i in range(30):\n        d = {'a': d, 'b': d}\n    "
                  "return A(x=d)\n");
            }).find("too many values"),
            std::string::npos);
}

TEST(PythonDocument, classes_by_their_last_names) {
  config::Value value;
  EXPECT_EQ(job::class_of(value), "");
  value.set("_target_", config::scalar("a.b.C.Config"));
  EXPECT_EQ(job::class_of(value), "Config");
  EXPECT_EQ(job::class_of(value, 2), "C.Config");
  EXPECT_EQ(job::class_of(value, 9), "a.b.C.Config");
}

}  // namespace
}  // namespace pipewright::test
