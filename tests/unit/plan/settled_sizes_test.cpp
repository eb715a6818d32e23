#include "plan/settled_sizes.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

int micro_batches_of(Experiment& e) { return settle_sizes(e, e.model_or_fail(), 16); }

TEST(SettledSizes, replicas_take_what_is_left_of_the_devices) {
  Experiment e = read_experiment(small_gpt("parallel: {tensor: 4, pipeline: 2}\nschedule: 1f1b\n"));
  EXPECT_EQ(micro_batches_of(e), 32);
  EXPECT_EQ(e.parallel.data, 2);
  EXPECT_EQ(e.batch.sequence, 1024);
}

TEST(SettledSizes, a_batch_must_divide) {
  Experiment e = read_experiment(small_gpt("parallel: {pipeline: 2}\nschedule: 1f1b\n"));
  e.batch.global = 63;
  EXPECT_NE(error_of([&] { micro_batches_of(e); }).find("batch.global 63"), std::string::npos);
}

TEST(SettledSizes, a_model_without_a_length_needs_one) {
  Experiment e = read_experiment(small_gpt("parallel: {pipeline: 2}\nschedule: 1f1b\n"));
  e.batch.sequence = 0;
  EXPECT_NE(error_of([&] { micro_batches_of(e); }).find("batch.sequence is needed"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
