// Ranks with a GPU each that is none, and links that meet in memory, under NCCL's rules: on a
// channel the k-th operation of a member meets the k-th of all others, they must be of one kind and
// size, and a stream goes on when all have come. A device is deferred, or does everything at once:
// then hosts wait in their links, too, as NCCL may when it connects.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "calibrate/live/live_device.hpp"
#include "support/deferred_device.hpp"

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
  using Posts = std::map<size_t, Post>;  ///< by member
  /// What a member brings to its next operation, which is the n-th of the channel.
  size_t bring(size_t channel, size_t member, Post post) {
    const std::lock_guard lock(mutex_);
    Channel& at = channels_.at(channel);
    const size_t number = at.made[member]++;
    kinds_.insert(post.what.substr(0, post.what.find(' ')));
    Posts& posts = at.meetings[number];
    posts[member] = std::move(post);
    EXPECT_EQ(posts.begin()->second.what, posts[member].what) << "channel " << channel;
    return number;
  }
  /// What all brought to it; null before they have.
  const Posts* met(size_t channel, size_t number) {
    const std::lock_guard lock(mutex_);
    const Channel& at = channels_.at(channel);
    const Posts& posts = at.meetings.at(number);
    return posts.size() == at.members.size() ? &posts : nullptr;
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
    std::map<size_t, size_t> made;     ///< by member: operations
    std::map<size_t, Posts> meetings;  ///< by number
  };
  std::mutex mutex_;
  std::vector<Channel> channels_;
  std::set<std::string> kinds_;
};

/// Puts on the selected stream what runs once it returns true.
using Put = std::function<void(std::function<bool()>)>;

class VirtualLinks final : public transport::DeviceLinks {
 public:
  VirtualLinks(MeetingPlace& place, uint32_t rank, Put put)
      : place_(place), rank_(rank), put_(std::move(put)) {}
  std::string library() const override { return "memory"; }
  void open(const std::vector<transport::DeviceChannel>& channels) override {
    place_.open(channels);
  }
  void check() override {}

  void send(size_t channel, std::span<const float> numbers) override {
    EXPECT_EQ(place_.place(channel, rank_), 0u) << "the first member sends";
    meet(channel, "message", numbers.size(), {numbers}, [](const Posts&) {});
  }
  void receive(size_t channel, std::span<float> numbers) override {
    EXPECT_EQ(place_.place(channel, rank_), 1u) << "the second member receives";
    meet(channel, "message", numbers.size(), {},
         [numbers](const Posts& all) { fill(numbers, all.at(0).pieces.at(0)); });
  }
  void all_reduce(size_t channel, std::span<float> numbers) override {
    meet(channel, "all_reduce", numbers.size(), {numbers},
         [numbers](const Posts& all) { fill(numbers, sum(all)); });
  }
  void all_gather(size_t channel, std::span<const float> own, std::span<float> all) override {
    meet(channel, "all_gather", own.size(), {own}, [all](const Posts& posts) {
      Numbers joined;
      for (const auto& [member, post] : posts)
        joined.insert(joined.end(), post.pieces[0].begin(), post.pieces[0].end());
      fill(all, joined);
    });
  }
  void reduce_scatter(size_t channel, std::span<const float> all, std::span<float> own) override {
    const size_t first = place_.place(channel, rank_) * own.size();
    meet(channel, "reduce_scatter", all.size(), {all}, [own, first](const Posts& posts) {
      const Numbers total = sum(posts);
      ASSERT_LE(first + own.size(), total.size());
      std::copy_n(total.begin() + static_cast<std::ptrdiff_t>(first), own.size(), own.begin());
    });
  }
  void send_and_receive(size_t channel, const std::vector<std::span<const float>>& to,
                        const std::vector<std::span<float>>& from) override {
    const size_t own = place_.place(channel, rank_);
    meet(channel, "trade", to.size(), to, [own, from](const Posts& all) {
      for (const auto& [member, post] : all) fill(from.at(member), post.pieces.at(own));
    });
  }
  void send(size_t channel, Bytes bytes) override { dummy_payloads(channel, "bytes", bytes); }
  void receive(size_t channel, Bytes bytes) override { dummy_payloads(channel, "bytes", bytes); }
  void collect(size_t channel, CollectiveKind, Bytes bytes) override {
    dummy_payloads(channel, "collective", bytes);
  }

 private:
  using Numbers = MeetingPlace::Numbers;
  using Posts = MeetingPlace::Posts;

  /// Pieces are read, and `take` is called, when the stream has come there.
  void meet(size_t channel, const char* what, size_t size,
            std::vector<std::span<const float>> pieces, std::function<void(const Posts&)> take) {
    const size_t own = place_.place(channel, rank_);
    const std::string words = fmt::format("{} of {}", what, size);
    put_([this, channel, own, words, pieces, take, number = std::optional<size_t>()]() mutable {
      if (!number) {
        std::vector<Numbers> brought;
        for (const std::span<const float> piece : pieces)
          brought.emplace_back(piece.begin(), piece.end());
        number = place_.bring(channel, own, {words, std::move(brought)});
      }
      const Posts* all = place_.met(channel, *number);
      if (all) take(*all);
      return all != nullptr;
    });
  }
  void dummy_payloads(size_t channel, const char* what, Bytes bytes) {
    meet(channel, what, static_cast<size_t>(bytes.count), {}, [](const Posts&) {});
  }
  static void fill(std::span<float> to, const Numbers& from) {
    ASSERT_EQ(to.size(), from.size()) << "as many arrive as are expected";
    std::copy(from.begin(), from.end(), to.begin());
  }
  static Numbers sum(const Posts& posts) {
    Numbers total(posts.at(0).pieces[0].size());
    for (const auto& [member, post] : posts)
      for (size_t i = 0; i < total.size(); ++i) total[i] += post.pieces[0][i];
    return total;
  }

  MeetingPlace& place_;
  uint32_t rank_;
  Put put_;
};

/// At once: the caller waits.
inline Put prompt() {
  return [](const std::function<bool()>& command) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(50);
    while (!command()) {
      if (std::chrono::steady_clock::now() > end) throw Failure("a member waits for ever");
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  };
}

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

inline live::RankGpu prompt_gpu(MeetingPlace& place, uint32_t rank) {
  return {.device = {.name = "virtual GPU"},
          .kernels = kernels::cpu_kernels(),
          .streams = std::make_shared<PromptStreams>(),
          .links = std::make_unique<VirtualLinks>(place, rank, prompt())};
}

inline live::RankGpu deferred_gpu(MeetingPlace& place, uint32_t rank) {
  const auto device = std::make_shared<DeferredDevice>(rank);
  const auto put = [&device = *device](std::function<bool()> command) {
    device.put(std::move(command));
  };
  return {.device = {.name = "virtual GPU"},
          .kernels = device,
          .streams = device,
          .links = std::make_unique<VirtualLinks>(place, rank, put)};
}

}  // namespace pipewright::test
