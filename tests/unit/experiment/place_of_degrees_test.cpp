#include "experiment/place_of_degrees.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

int line_of_degrees(const char* document) {
  Experiment experiment;
  experiment.document = config::parse(document, "x.yaml");
  return place_of_degrees(experiment).mark.line;
}

TEST(PlaceOfDegrees, is_where_the_user_wrote_them_else_the_model) {
  EXPECT_EQ(line_of_degrees("model: m\nschedule: 1f1b\nparallel: {tensor: 2}\n"), 3);
  EXPECT_EQ(line_of_degrees("schedule: 1f1b\nmodel: m\n"), 2);
}

}  // namespace
}  // namespace pipewright
