#include "interop/python/program.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "made_by.hpp"

namespace pipewright::test {
namespace {

namespace python = interop::python;

TEST(PythonProgram, functions_are_those_of_the_file) {
  python::Program program("from a import b\ndef c():\n    pass\ndef d():\n    return 1\n", "run.py",
                          {});
  EXPECT_EQ(program.functions(), (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(python_text(program.call("d")), "1");
  EXPECT_EQ(error_of([&] { program.call("e"); }),
            "run.py:1:1: error: there is no function 'e' here; there are c, d");
}

TEST(PythonProgram, calls_may_be_answered_from_outside) {
  python::Surroundings surroundings;
  surroundings.call = [](const python::Call& call, python::Heap&) -> std::optional<python::Value> {
    if (call.name == "T.Config.whole") return call.self;
    if (call.name != "tool.size") return std::nullopt;
    return *call.find("of");
  };
  surroundings.field = [](std::string_view type, std::string_view field,
                          python::Heap&) -> std::optional<python::Value> {
    if (type != "T.Config.compile" || field != "enable") return std::nullopt;
    return python::Value{true, {}};
  };
  EXPECT_EQ(made_by("import tool\ndef f():\n    return [tool.size(of=3), "
                    "T.Config().whole().compile.enable]\n",
                    surroundings),
            "[3, True]");
}

}  // namespace
}  // namespace pipewright::test
