// What is written as PyTorch's pipeline CSV is read back as the same order.
#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "schedule/torch_csv.hpp"

namespace pipewright::schedule {
namespace {

TEST(TorchCsvRoundTrip, every_schedule_without_slices_comes_back_as_it_was) {
  for (const Kind* kind : kinds()) {
    for (int p = 1; p <= 8; ++p) {
      for (int m : {1, 2, 4, 7, 8, 16}) {
        Schedule written;
        std::string text;
        try {
          written = build({.ranks = p, .micro_batches = m}, config::scalar(kind->name));
          text = write_torch_csv(written, {});
        } catch (const Misfit&) {
          continue;
        }
        const Schedule read = read_torch_csv(text, "orders.csv");
        for (Order& order : written.order)
          for (Action& a : order) a.weight_version = 0;  // which the form does not say
        EXPECT_EQ(read.order, written.order) << kind->name << " p=" << p << " m=" << m;
        EXPECT_EQ(read.stages, written.stages) << kind->name;
        EXPECT_EQ(read.micro_batches, m) << kind->name;
      }
    }
  }
}

}  // namespace
}  // namespace pipewright::schedule
