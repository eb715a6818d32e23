#include <gtest/gtest.h>

#include "made_by.hpp"

namespace pipewright::test {
namespace {

const std::string sizes_program = R"(from dataclasses import dataclass, field

@dataclass
class Sizes:
    layers: int
    hidden: int = 64
    parts: list = field(default_factory=lambda: [1])

    def wide(self, by=2):
        return self.hidden * by

    @property
    def area(self):
        return self.layers * self.hidden

@dataclass(frozen=True)
class Wide(Sizes):
    hidden: int = 128
)";

// docs.python.org/3/library/dataclasses.html: fields in the order of their definition, those of the
// base first; a field that is said again keeps its place.
TEST(PythonClasses, fields_have_defaults) {
  EXPECT_EQ(made_by(sizes_program +
                    "def f():\n    s = Sizes(2)\n    return [s.layers, s.hidden, s.parts]\n"),
            "[2, 64, [1]]");
  EXPECT_EQ(made_by(sizes_program + "def f():\n    w = Wide(2)\n    return [w.layers, w.hidden]\n"),
            "[2, 128]");
  EXPECT_EQ(made_by(sizes_program +
                    "def f():\n    w = Wide(2, 3, parts=[])\n    return [w.hidden, w.parts]\n"),
            "[3, []]");
}

TEST(PythonClasses, a_default_that_is_made_is_each_ones_own) {
  EXPECT_EQ(made_by(sizes_program +
                    "def f():\n    a = Sizes(1)\n    b = Sizes(1)\n    a.parts.append(2)\n"
                    "    return [a.parts, b.parts]\n"),
            "[[1, 2], [1]]");
}

TEST(PythonClasses, methods_and_properties) {
  EXPECT_EQ(made_by(sizes_program +
                    "def f():\n    w = Wide(2)\n    return [w.wide(), w.wide(3), w.area]\n"),
            "[256, 384, 256]");
  EXPECT_EQ(made_by("class A:\n    N = 4\n    @staticmethod\n    def g(n):\n        return n + 1\n"
                    "def f():\n    return [A.N, A.g(A.N)]\n"),
            "[4, 5]");
}

// It is a configuration of the framework with other numbers, as Python would have it.
TEST(PythonClasses, a_class_of_a_framework_with_other_fields) {
  const std::string head =
      "from dataclasses import dataclass\nfrom nemo.llm import Llama3Config8B\n";
  EXPECT_EQ(made_by(head + "@dataclass\nclass Small(Llama3Config8B):\n    num_layers: int = 4\n"
                           "def f():\n    return Small(seq_length=2048)\n"),
            "Llama3Config8B(seq_length=2048, num_layers=4)");
  // What it does beyond that, nobody knows here.
  EXPECT_EQ(made_by(head + "@dataclass\nclass Small(Llama3Config8B):\n    num_layers: int = 4\n"
                           "    def configure_model(self):\n        return 1\n"
                           "def f():\n    return Small()\n"),
            "Small()");
  // Without the decorator, the base makes the object by its own defaults.
  EXPECT_EQ(made_by(head + "class Small(Llama3Config8B):\n    num_layers = 4\n"
                           "def f():\n    return Small()\n"),
            "Small()");
}

TEST(PythonClasses, a_class_of_another_file) {
  interop::python::Surroundings surroundings;
  surroundings.read = [](const std::string& path) -> std::optional<std::string> {
    if (path == "own/sizes.py") return sizes_program;
    if (path == "nemo/sizes.py") return sizes_program;
    return std::nullopt;
  };
  surroundings.is_framework = [](std::string_view type) { return type.starts_with("nemo."); };
  const std::string f = "def f():\n    return Sizes(layers=2).hidden\n";
  EXPECT_EQ(made_by("from own.sizes import Sizes\n" + f, surroundings), "64");
  // Readers know what a framework's own class has where nobody says it.
  EXPECT_EQ(made_by("from nemo.sizes import Sizes\n" + f, surroundings), "hidden()");
}

TEST(PythonClasses, attributes_by_their_names) {
  EXPECT_EQ(made_by(sizes_program +
                    "def f():\n    s = Sizes(2)\n    return [getattr(s, 'hidden'), getattr(s, "
                    "'width', 5), hasattr(s, 'layers'), hasattr(s, 'width')]\n"),
            "[64, 5, True, False]");
  EXPECT_EQ(
      made_by("def f():\n    c = A.Config(n=1)\n    return [getattr(c, 'n', 2), hasattr(c, 'n'), "
              "hasattr(c, 'm') or 3]\n"),
      "[1, True, ?hasattr(c, 'm') or 3]");
}

// docs.python.org/3/library/functools.html: what is given later goes before what partial has.
TEST(PythonClasses, partial_functions) {
  const std::string g = "from functools import partial\ndef g(a, b, c=3):\n    return [a, b, c]\n";
  EXPECT_EQ(made_by(g + "def f():\n    p = partial(g, 1, c=5)\n    return [p(2), p(2, c=6)]\n"),
            "[[1, 2, 5], [1, 2, 6]]");
  EXPECT_EQ(made_by(g + "def f():\n    p = partial(partial(g, 1), 2)\n    return p()\n"),
            "[1, 2, 3]");
}

TEST(PythonClasses, functions_without_a_name) {
  EXPECT_EQ(made_by("def f():\n    n = 3\n    g = lambda a, b=2: a * b + n\n    return g(5)\n"),
            "13");
}

}  // namespace
}  // namespace pipewright::test
