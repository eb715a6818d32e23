#include <gtest/gtest.h>

#include "made_by.hpp"

namespace pipewright::test {
namespace {

const std::string parser =
    "import argparse\ndef get_parser():\n    p = argparse.ArgumentParser(prog='x')\n"
    "    p.add_argument('-n', '--num-nodes', type=int, default=2)\n"
    "    g = p.add_argument_group('model')\n"
    "    g.add_argument('--lr', type=float, default='1e-4')\n"
    "    g.add_argument('--flash', action='store_true')\n"
    "    g.add_argument('--no-bias', dest='bias', action='store_false')\n"
    "    g.add_argument('--name')\n    g.add_argument('--tag', required=True)\n"
    "    g.add_argument('model')\n    g.add_argument('--sizes', type=int, nargs='+', default=[1])\n"
    "    return p\n";

std::string parsed(const std::string& what, std::map<std::string, std::string> given = {}) {
  return made_by(
      parser + "def f():\n    args = get_parser().parse_args()\n    return " + what + "\n",
      {.given = std::move(given)});
}

// docs.python.org/3/library/argparse.html: a default that is a text is converted, what is not there
// is None, and a flag is false.
TEST(PythonCommandLine, arguments_are_their_defaults) {
  EXPECT_EQ(parsed("[args.num_nodes, args.lr, args.flash, args.bias, args.name, args.sizes]"),
            "[2, 0.0001, False, True, None, [1]]");
  EXPECT_EQ(parsed("[args.tag, args.model]"), "[?the argument tag, ?the argument model]");
}

TEST(PythonCommandLine, definitions_are_arguments) {
  EXPECT_EQ(parsed("[args.num_nodes, args.flash, args.bias, args.name, args.tag, args.sizes]",
                   {{"num_nodes", "4"},
                    {"flash", "true"},
                    {"bias", "false"},
                    {"name", "8"},
                    {"tag", "a"},
                    {"sizes", "2 3"}}),
            "[4, True, False, '8', 'a', [2, 3]]");
}

TEST(PythonCommandLine, what_it_has_is_known) {
  EXPECT_EQ(parsed("[hasattr(args, 'lr'), hasattr(args, 'wd'), vars(args)['num_nodes']]"),
            "[True, False, 2]");
  EXPECT_EQ(made_by("import argparse\ndef f():\n    p = argparse.ArgumentParser()\n"
                    "    p.add_argument('--a', default=1)\n    p.set_defaults(a=3)\n"
                    "    args, rest = p.parse_known_args()\n    return [args.a, rest]\n"),
            "[3, []]");
}

}  // namespace
}  // namespace pipewright::test
