// Expressions of rules files: what they mean, and what is said of those that mean nothing.
#include <gtest/gtest.h>

#include <functional>

#include "error_of.hpp"
#include "rules/text_of.hpp"
#include "schedule/rules/context.hpp"

namespace pipewright::schedule::rules {
namespace {

using test::error_of;

/// The value of `text` with p = 4, i = 1, m = 10 and the given definitions.
int64_t value_of(const std::string& text,
                 const std::vector<std::pair<std::string, std::string>>& definitions = {}) {
  Names names;
  for (const auto& [head, body] : definitions)
    names.add_function(head, {"r.yaml", 1, 1}, text_of(body));
  const Expression expression = parse_expression(text_of(text), names);
  Context context(names, 100'000);
  context.set(variable::ranks, 4);
  context.set(variable::rank, 1);
  context.set(variable::micro_batches, 10);
  return context.evaluate(expression);
}

std::string error_in(const std::string& text,
                     const std::vector<std::pair<std::string, std::string>>& definitions = {}) {
  return error_of([&] { value_of(text, definitions); });
}

TEST(Expression, products_bind_before_sums_and_both_go_from_the_left) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("20 - 5 - 3"), 12);
  EXPECT_EQ(value_of("20 / 2 / 5"), 2);
  EXPECT_EQ(value_of("2 - -3"), 5);
  EXPECT_EQ(value_of("2 * (p - 1 - i)"), 4);
}

TEST(Expression, division_rounds_down_and_the_remainder_has_the_divisors_sign) {
  EXPECT_EQ(value_of("7 / 2"), 3);
  EXPECT_EQ(value_of("-7 / 2"), -4);
  EXPECT_EQ(value_of("7 / -2"), -4);
  EXPECT_EQ(value_of("-7 % 4"), 1);
  EXPECT_EQ(value_of("7 % -4"), -1);
  EXPECT_EQ(value_of("(i - 2) % p"), 3);
  EXPECT_EQ(value_of("-8 % 4"), 0);
}

TEST(Expression, comparisons_and_logic_give_one_or_zero) {
  EXPECT_EQ(value_of("1 < 2"), 1);
  EXPECT_EQ(value_of("2 <= 1"), 0);
  EXPECT_EQ(value_of("2 > 1"), 1);
  EXPECT_EQ(value_of("1 >= 1"), 1);
  EXPECT_EQ(value_of("3 == 4"), 0);
  EXPECT_EQ(value_of("3 != 4"), 1);
  EXPECT_EQ(value_of("not 3"), 0);
  EXPECT_EQ(value_of("0 or 5"), 1);
  EXPECT_EQ(value_of("true and not false"), 1);
  EXPECT_EQ(value_of("not 1 == 2"), 1);
  EXPECT_EQ(value_of("1 or 0 and 0"), 1);
}

TEST(Expression, a_choice_and_logic_look_only_at_what_they_need) {
  EXPECT_EQ(value_of("if(p == 4, 7, 1 / 0)"), 7);
  EXPECT_EQ(value_of("p < 4 ? 1 / 0 : 8"), 8);
  EXPECT_EQ(value_of("i == 0 ? 1 : i == 1 ? 2 : 3"), 2);
  EXPECT_EQ(value_of("0 and 1 / 0"), 0);
  EXPECT_EQ(value_of("1 or 1 / 0"), 1);
}

TEST(Expression, min_and_max_take_any_number_of_values) {
  EXPECT_EQ(value_of("min(p - 1 - i, m)"), 2);
  EXPECT_EQ(value_of("max(3, 9, 4)"), 9);
  EXPECT_EQ(value_of("min(5)"), 5);
}

TEST(Expression, definitions_have_arguments_and_know_those_before_them) {
  EXPECT_EQ(value_of("twice(3) + far", {{"twice(a)", "2 * a"}, {"far", "twice(p - 1 - i)"}}), 10);
  EXPECT_EQ(value_of("mix(1, 2)", {{"mix(n, k)", "10 * n + k"}}), 12);
}

TEST(Expression, what_cannot_be_computed_is_shown_where_it_stands) {
  EXPECT_EQ(error_in("m / (p - 4)"), "r.yaml:3:9: error: division by zero (p = 4, i = 1, m = 10)");
  EXPECT_EQ(error_in("m % 0"), "r.yaml:3:9: error: division by zero (p = 4, i = 1, m = 10)");
  for (const char* text : {"9223372036854775807 + 1", "-9223372036854775807 - 2",
                           "9223372036854775807 * 2", "(-9223372036854775807 - 1) / -1",
                           "(-9223372036854775807 - 1) % -1", "-(-9223372036854775807 - 1)"})
    EXPECT_NE(error_in(text).find("too large for 64 bits"), std::string::npos) << text;
  EXPECT_EQ(error_in("b + 1"), "r.yaml:3:7: error: 'b' has no value here (p = 4, i = 1, m = 10)");
}

TEST(Expression, what_cannot_be_read_is_shown_where_it_stands) {
  EXPECT_EQ(error_in("9223372036854775808"), "r.yaml:3:7: error: 9223372036854775808 is too large");
  EXPECT_EQ(error_in("p + "),
            "r.yaml:3:11: error: a number or a name is missing at the end (inside { } and [ ] a "
            "text with commas needs quotes)");
  EXPECT_EQ(error_in("min(p, m"),
            "r.yaml:3:15: error: ')' is missing at the end (inside { } and [ ] a text with commas "
            "needs quotes)");
  EXPECT_EQ(error_in("p m"), "r.yaml:3:9: error: 'm' stands where the end is expected");
  EXPECT_EQ(error_in("1 < i < 3"),
            "r.yaml:3:13: error: comparisons cannot be chained; write 'a < b and b < c'");
  EXPECT_EQ(error_in("wamr + 1", {{"warm", "p - 1"}}),
            "r.yaml:3:7: error: unknown name 'wamr'; did you mean 'warm'?");
  EXPECT_EQ(error_in("if(p, 1)"), "r.yaml:3:7: error: if takes 3 arguments, not 2");
  EXPECT_EQ(error_in("twice(1, 2)", {{"twice(a)", "2 * a"}}),
            "r.yaml:3:7: error: twice takes 1 argument, not 2");
  EXPECT_EQ(error_in(""),
            "r.yaml:3:7: error: a number or a name is missing at the end (inside { } "
            "and [ ] a text with commas needs quotes)");
}

TEST(Expression, what_other_languages_write_is_answered_with_our_form) {
  EXPECT_EQ(error_in("p && m"), "r.yaml:3:9: error: '&' cannot stand here; write 'and'");
  EXPECT_EQ(error_in("! p"), "r.yaml:3:7: error: '!' cannot stand here; write 'not'");
  EXPECT_EQ(error_in("p = 3"), "r.yaml:3:9: error: '=' cannot stand here; equality is '=='");
  EXPECT_EQ(error_in("1.5"), "r.yaml:3:8: error: '.' cannot stand here; numbers are whole");
}

TEST(Expression, neither_depth_nor_length_overflows_the_stack) {
  EXPECT_NE(error_in(std::string(4000, '(')).find("nested too deep"), std::string::npos);
  EXPECT_NE(error_in(std::string(4000, '-') + "1").find("nested too deep"), std::string::npos);
  std::string sum = "1", choice;
  for (int k = 0; k < 1000; ++k) sum += "+1", choice += "1?";
  EXPECT_NE(error_in(sum).find("too long"), std::string::npos);
  EXPECT_NE(error_in(choice).find("nested too deep"), std::string::npos);
  EXPECT_NE(error_in(std::string(5000, '1')).find("5000 characters long"), std::string::npos);
}

TEST(Expression, a_definition_cannot_call_itself) {
  EXPECT_EQ(error_in("f(1)", {{"f(a)", "f(a - 1)"}}),
            "r.yaml:3:7: error: unknown function 'f'; there are min, max, if");
}

TEST(Expression, work_that_doubles_with_every_definition_is_stopped) {
  std::vector<std::pair<std::string, std::string>> doubling{{"d0", "p"}};
  for (int k = 1; k < 60; ++k) {
    const std::string before = "d" + std::to_string(k - 1);
    doubling.emplace_back("d" + std::to_string(k), before + " - " + before);
  }
  EXPECT_NE(error_in("d59", doubling).find("take too long"), std::string::npos);
}

TEST(Expression, definitions_upon_definitions_do_not_overflow_the_stack) {
  std::vector<std::pair<std::string, std::string>> tower{{"d0", "p"}};
  std::string ones = " + 1";
  for (int k = 0; k < 7; ++k) ones += ones;  // 128 times
  for (int k = 1; k < 100; ++k)
    tower.emplace_back("d" + std::to_string(k), "d" + std::to_string(k - 1) + ones);
  EXPECT_NE(error_in("d99", tower).find("nested too deep"), std::string::npos);
}

TEST(Names, a_name_has_one_meaning) {
  Names names;
  const Where where{"r.yaml", 2, 3};
  const config::Value body = text_of("1");
  EXPECT_EQ(error_of([&] { names.add_variable("p", where); }),
            "r.yaml:2:3: error: 'p' has a meaning already; take another name");
  EXPECT_EQ(error_of([&] { names.add_variable("F", where); }),
            "r.yaml:2:3: error: 'F' has a meaning already; take another name");
  EXPECT_EQ(error_of([&] { names.add_variable("two words", where); }),
            "r.yaml:2:3: error: 'two words' must be a name: letters, digits and _");
  EXPECT_EQ(error_of([&] { names.add_variable("1st", where); }),
            "r.yaml:2:3: error: '1st' must be a name: letters, digits and _");
  for (const char* head : {"f(", "f()", "f(a", "f(a,)", "f(a b)", "f(a) b", "(a)", "f(1)", ""})
    EXPECT_EQ(
        error_of([&] { names.add_function(head, where, body); }),
        "r.yaml:2:3: error: '" + std::string(head) + "' must have the form name or name(a, b)");
  EXPECT_EQ(error_of([&] { names.add_function("f(a, a)", where, body); }),
            "r.yaml:2:3: error: 'a' is named twice in 'f(a, a)'");
  EXPECT_EQ(
      error_of([&] { names.add_function("f(a1, a2, a3, a4, a5, a6, a7, a8, a9)", where, body); }),
      "r.yaml:2:3: error: 'f(a1, a2, a3, a4, a5, a6, a7, a8, a9)' has more than 8 arguments");
  EXPECT_EQ(error_of([&] { names.add_function("f(min)", where, body); }),
            "r.yaml:2:3: error: 'min' has a meaning already; take another name");
}

}  // namespace
}  // namespace pipewright::schedule::rules
