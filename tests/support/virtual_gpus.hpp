// Ranks with a GPU each that is none: kernels run on the CPU at once, and links meet in memory,
// under NCCL's rules. On a channel the k-th operation of a member meets the k-th of all others;
// they must be of one kind and size; and each waits where it was put until all have come, hosts
// too, which is stricter than streams are.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "base/error.hpp"
#include "calibrate/replay/live_device.hpp"

namespace pipewright::test {

/// Where the links of all ranks meet.
class MeetingPlace {
 public:
  using Numbers = std::vector<float>;
  struct Post {
    std::string what;             ///< alike for all who meet
    std::vector<Numbers> pieces;  ///< by member that they are for, or one for all
  };

  void open(const std::vector<transport::DeviceChannel>& channels) {
    const std::lock_guard lock(mutex_);
    if (channels_.empty())
      for (const transport::DeviceChannel& channel : channels)
        channels_.push_back({channel.members, {}, {}});
    EXPECT_EQ(channels_.size(), channels.size()) << "all open the same";
    for (size_t i = 0; i < channels.size(); ++i)
      EXPECT_EQ(channels_[i].members, channels[i].members) << "channel " << i;
  }
  size_t place(size_t channel, uint32_t rank) {
    const std::lock_guard lock(mutex_);
    const std::vector<uint32_t>& members = channels_.at(channel).members;
    return static_cast<size_t>(std::find(members.begin(), members.end(), rank) - members.begin());
  }
  /// What all members brought, by member.
  const std::map<size_t, Post>& meet(size_t channel, size_t member, Post post) {
    std::unique_lock lock(mutex_);
    Channel& at = channels_.at(channel);
    std::map<size_t, Post>& posts = at.meetings[at.made[member]++];
    kinds_.insert(post.what.substr(0, post.what.find(' ')));
    posts[member] = std::move(post);
    arrived_.notify_all();
    const auto all_here = [&] { return posts.size() == at.members.size(); };
    if (!arrived_.wait_for(lock, std::chrono::seconds(50), all_here))
      throw Failure(fmt::format("member {} of channel {} waits for ever", member, channel));
    for (const auto& [other, its] : posts) EXPECT_EQ(its.what, posts.at(member).what);
    return posts;
  }
  /// First words of all that was put.
  std::set<std::string> kinds() const { return kinds_; }
  /// Whether everybody put as many operations on a channel.
  bool all_met() const {
    for (const Channel& channel : channels_)
      for (const auto& [number, posts] : channel.meetings)
        if (posts.size() != channel.members.size()) return false;
    return true;
  }

 private:
  struct Channel {
    std::vector<uint32_t> members;
    std::map<size_t, size_t> made;                      ///< by member: operations
    std::map<size_t, std::map<size_t, Post>> meetings;  ///< by number
  };
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Channel> channels_;
  std::set<std::string> kinds_;
};

class VirtualLinks final : public transport::DeviceLinks {
 public:
  VirtualLinks(MeetingPlace& place, uint32_t rank) : place_(place), rank_(rank) {}
  std::string library() const override { return "memory"; }
  void open(const std::vector<transport::DeviceChannel>& channels) override {
    place_.open(channels);
  }
  void check() override {}

  void send(size_t channel, std::span<const float> numbers) override {
    EXPECT_EQ(place_.place(channel, rank_), 0u) << "the first member sends";
    meet(channel, "message", numbers.size(), {copy(numbers)});
  }
  void receive(size_t channel, std::span<float> numbers) override {
    EXPECT_EQ(place_.place(channel, rank_), 1u) << "the second member receives";
    fill(numbers, meet(channel, "message", numbers.size(), {}).at(0).pieces.at(0));
  }
  void all_reduce(size_t channel, std::span<float> numbers) override {
    fill(numbers, sum(meet(channel, "all_reduce", numbers.size(), {copy(numbers)})));
  }
  void all_gather(size_t channel, std::span<const float> own, std::span<float> all) override {
    MeetingPlace::Numbers joined;
    for (const auto& [member, post] : meet(channel, "all_gather", own.size(), {copy(own)}))
      joined.insert(joined.end(), post.pieces[0].begin(), post.pieces[0].end());
    fill(all, joined);
  }
  void reduce_scatter(size_t channel, std::span<const float> all, std::span<float> own) override {
    const auto total = sum(meet(channel, "reduce_scatter", all.size(), {copy(all)}));
    const auto from =
        total.begin() + static_cast<std::ptrdiff_t>(place_.place(channel, rank_) * own.size());
    fill(own, {from, from + static_cast<std::ptrdiff_t>(own.size())});
  }
  void trade(size_t channel, const std::vector<std::span<const float>>& to,
             const std::vector<std::span<float>>& from) override {
    std::vector<MeetingPlace::Numbers> pieces;
    for (const std::span<const float> one : to) pieces.push_back(copy(one));
    const size_t own = place_.place(channel, rank_);
    for (const auto& [member, post] : meet(channel, "trade", to.size(), std::move(pieces)))
      fill(from.at(member), post.pieces.at(own));
  }
  void send(size_t channel, Bytes bytes) override { meet(channel, "bytes", bytes.count, {}); }
  void receive(size_t channel, Bytes bytes) override { meet(channel, "bytes", bytes.count, {}); }
  void collect(size_t channel, CollectiveKind, Bytes bytes) override {
    meet(channel, "collective", bytes.count, {});
  }

 private:
  template <class N>
  const std::map<size_t, MeetingPlace::Post>& meet(size_t channel, const char* what, N size,
                                                   std::vector<MeetingPlace::Numbers> pieces) {
    return place_.meet(channel, place_.place(channel, rank_),
                       {fmt::format("{} of {}", what, size), std::move(pieces)});
  }
  static MeetingPlace::Numbers copy(std::span<const float> numbers) {
    return {numbers.begin(), numbers.end()};
  }
  static void fill(std::span<float> to, const MeetingPlace::Numbers& from) {
    ASSERT_EQ(to.size(), from.size()) << "as many arrive as are expected";
    std::copy(from.begin(), from.end(), to.begin());
  }
  static MeetingPlace::Numbers sum(const std::map<size_t, MeetingPlace::Post>& posts) {
    MeetingPlace::Numbers total(posts.at(0).pieces[0].size());
    for (const auto& [member, post] : posts)
      for (size_t i = 0; i < total.size(); ++i) total[i] += post.pieces[0][i];
    return total;
  }

  MeetingPlace& place_;
  uint32_t rank_;
};

/// A device that is through with everything when its host is.
class PromptStreams final : public kernels::Streams {
 public:
  void select(size_t, size_t) override {}
  void mark(size_t mark) override { marks_[mark] = Clock::now(); }
  void wait_for(size_t mark) override {
    EXPECT_TRUE(marks_.contains(mark)) << "a device would not wait for what is not there";
  }
  void reach(size_t mark) override { EXPECT_TRUE(marks_.contains(mark)); }
  bool reached(size_t mark) override { return marks_.contains(mark); }
  void spin(Time) override {}
  void drain() override {}
  Time between(size_t from, size_t to) override {
    return nanoseconds(std::chrono::nanoseconds(marks_.at(to) - marks_.at(from)).count());
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::map<size_t, Clock::time_point> marks_;
};

inline replay::RankGpu virtual_gpu(MeetingPlace& place, uint32_t rank) {
  return {.device = {.name = "virtual GPU"},
          .kernels = kernels::cpu_kernels(),
          .streams = std::make_shared<PromptStreams>(),
          .links = std::make_unique<VirtualLinks>(place, rank)};
}

}  // namespace pipewright::test
