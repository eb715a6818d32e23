#include "topology/cluster/nccl_release.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

int release_of(const char* text) { return read_nccl_release(config::scalar(text)); }

TEST(NcclRelease, grows_with_its_numbers) {
  EXPECT_EQ(release_of("2.18.1"), release_of("2.18"));
  EXPECT_LT(release_of("2.9"), release_of("2.18"));
  EXPECT_LT(release_of("2.20"), release_of("2.23"));
  EXPECT_LT(release_of("2.99"), todays_nccl);
}

TEST(NcclRelease, is_two_numbers_or_three) {
  for (const char* text : {"2", "2.", "3.1", "2.18.", "2.18x", "2.1.1.1", "-2.18", "2.-1"})
    EXPECT_NE(error_of([&] { release_of(text); }).find("a release of NCCL, such as 2.18"),
              std::string::npos)
        << text;
}

TEST(NcclRelease, comes_with_pytorch) {
  EXPECT_EQ(nccl_of_pytorch("2.1"), "2.18");
  EXPECT_EQ(nccl_of_pytorch("2.1.2"), "2.18");
  EXPECT_EQ(nccl_of_pytorch("2.6"), "2.21");
  EXPECT_EQ(nccl_of_pytorch("1.13"), std::nullopt);
  EXPECT_EQ(nccl_of_pytorch("2.10.0a0+a36e1d39eb.nv26.01"), std::nullopt);
}

}  // namespace
}  // namespace pipewright::test
