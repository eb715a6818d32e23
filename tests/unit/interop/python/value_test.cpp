#include "interop/python/value.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

namespace python = interop::python;

TEST(PythonValue, truths_are_pythons) {
  python::Heap heap;
  EXPECT_EQ(python::truth_of({}), false);
  EXPECT_EQ(python::truth_of({int64_t{0}}), false);
  EXPECT_EQ(python::truth_of({std::string("no")}), true);
  EXPECT_EQ(python::truth_of({&heap.list()}), false);
  EXPECT_EQ(python::truth_of({&heap.object("A.Config", {})}), true);
  EXPECT_EQ(python::truth_of({python::Unknown{"x"}}), std::nullopt);
}

TEST(PythonValue, a_field_that_nobody_set_is_nothing) {
  python::Heap heap;
  python::Object& outer = heap.object("A.b", {});
  python::Object& inner = heap.object("A.b.c", {});
  outer.is_implied = inner.is_implied = true;
  outer.set("c", {&inner});
  EXPECT_TRUE(outer.is_nothing());
  inner.set("d", {true});
  EXPECT_FALSE(outer.is_nothing());
}

TEST(PythonValue, plain_texts) {
  EXPECT_EQ(python::plain_text({}), "None");
  EXPECT_EQ(python::plain_text({3e-4}), "0.0003");
  EXPECT_EQ(python::plain_text({python::Symbol{"torch.bfloat16"}}), std::nullopt);
  EXPECT_EQ(python::last_name("a.b.c"), "c");
}

}  // namespace
}  // namespace pipewright::test
