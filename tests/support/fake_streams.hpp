// Streams of a device that is not there: work takes virtual time, each stream in its order, exactly
// as the marks say. Whatever a device must never be asked fails the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kernels/streams.hpp"

namespace pipewright::test {

class FakeStreams final : public kernels::Streams {
 public:
  std::map<size_t, size_t> partition_of;  ///< by stream
  size_t most_unreached = 0;              ///< marks that the device was behind
  Time launch;                            ///< each mark comes that much later

  void select(size_t stream, size_t partition) override {
    selected_ = stream;
    EXPECT_EQ(partition_of.try_emplace(stream, partition).first->second, partition)
        << "stream " << stream << " moves to another partition";
  }
  void mark(size_t mark) override {
    marks_[mark] = ends_[selected_] += launch;
    most_unreached = std::max(most_unreached, ++unreached_);
  }
  void wait_for(size_t mark) override {
    ASSERT_TRUE(marks_.contains(mark)) << "the device would not wait for a mark that is not there";
    ends_[selected_] = std::max(ends_[selected_], marks_[mark]);
  }
  void reach(size_t mark) override {
    ASSERT_TRUE(marks_.contains(mark));
    if (unreached_ >= 2) unreached_ -= 2;  // an op has two
  }
  bool reached(size_t mark) override {
    EXPECT_TRUE(marks_.contains(mark));
    return true;
  }
  void drain() override { unreached_ = 0; }
  void spin(Time time) override { ends_[selected_] += time; }
  Time between(size_t from, size_t to) override { return marks_.at(to) - marks_.at(from); }

 private:
  std::map<size_t, Time> marks_, ends_;
  size_t selected_ = 0, unreached_ = 0;
};

}  // namespace pipewright::test
