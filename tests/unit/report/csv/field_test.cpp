#include "report/csv/field.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(CsvField, fields_are_quoted_as_rfc_4180_says) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(CsvField, no_text_is_a_formula_of_a_spreadsheet) {
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("@SUM(1,2)"), "\"'@SUM(1,2)\"");
  EXPECT_EQ(csv_field("+cmd"), "'+cmd");
  EXPECT_EQ(csv_field("-1+2"), "'-1+2");
  EXPECT_EQ(csv_field("-1.5e3"), "-1.5e3");
  EXPECT_EQ(csv_field("-"), "'-");
}

TEST(CsvField, a_number_reads_back_and_none_is_empty) {
  EXPECT_EQ(csv_field(0.1), "0.1");
  EXPECT_EQ(csv_field(std::nullopt), "");
}

}  // namespace
}  // namespace pipewright
