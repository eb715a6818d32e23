// Ranks that have a device each: what each puts on its streams, run by devices of virtual time that
// meet as NCCL's do, against the simulator.
#include "calibrate/live/executor/device_share.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "engine/engine.hpp"
#include "support/links_without_numbers.hpp"
#include "support/live_gpt.hpp"

namespace pipewright::test {
namespace {

using live::DeviceShare;

constexpr Time per_message = microseconds(5), per_collective = microseconds(20);

/// Keeps what is put on it, for run_together().
class RecordedDevice final : public kernels::Streams, public LinksWithoutNumbers {
 public:
  struct Command {
    enum class Kind { mark, wait, spin, meet } kind = Kind::mark;
    size_t number = 0;  ///< of a mark or a channel
    Time time;
  };
  std::map<size_t, std::deque<Command>> streams;
  std::map<size_t, Time> marks;

  void select(size_t stream, size_t) override { selected_ = stream; }
  void mark(size_t mark) override { add(Command::Kind::mark, mark, {}); }
  void wait_for(size_t mark) override { add(Command::Kind::wait, mark, {}); }
  void reach(size_t) override {}
  bool reached(size_t) override { return true; }
  void spin(Time time) override { add(Command::Kind::spin, 0, time); }
  void drain() override {}
  Time between(size_t from, size_t to) override { return marks.at(to) - marks.at(from); }

  void send(size_t channel, Bytes) override { add(Command::Kind::meet, channel, per_message); }
  void receive(size_t channel, Bytes) override { add(Command::Kind::meet, channel, per_message); }
  void collect(size_t channel, CollectiveKind, Bytes) override {
    add(Command::Kind::meet, channel, per_collective);
  }
  void check() override {}

 private:
  void add(Command::Kind kind, size_t number, Time time) {
    streams[selected_].push_back({kind, number, time});
  }
  size_t selected_ = 0;
};

/// Streams go on in their order; a meeting ends for all members at once, after the last has come.
class Meeting {
 public:
  Meeting(std::vector<RecordedDevice>& devices,
          const std::vector<transport::DeviceChannel>& channels)
      : devices_(devices), channels_(channels), arrived_(channels.size()), over_(channels.size()) {}

  void run_together() {
    for (bool moved = true; moved;) {
      moved = false;
      for (uint32_t rank = 0; rank < devices_.size(); ++rank)
        for (auto& [stream, commands] : devices_[rank].streams)
          while (!commands.empty() && step(rank, commands.front(), clocks_[{rank, stream}])) {
            commands.pop_front();
            moved = true;
          }
    }
  }

 private:
  using Command = RecordedDevice::Command;

  bool step(uint32_t rank, const Command& command, Time& clock) {
    std::map<size_t, Time>& marks = devices_[rank].marks;
    switch (command.kind) {
      case Command::Kind::mark:
        marks[command.number] = clock;
        return true;
      case Command::Kind::wait:
        if (!marks.contains(command.number)) return false;
        clock = std::max(clock, marks[command.number]);
        return true;
      case Command::Kind::spin:
        clock += command.time;
        return true;
      case Command::Kind::meet:
        return meet(rank, command, clock);
    }
    return false;
  }

  bool meet(uint32_t rank, const Command& command, Time& clock) {
    std::map<uint32_t, Time>& arrived = arrived_[command.number];
    std::map<uint32_t, Time>& over = over_[command.number];
    if (!over.contains(rank)) arrived[rank] = clock;
    if (arrived.size() == channels_[command.number].members.size()) {
      Time last;
      for (const auto& [member, time] : arrived) last = std::max(last, time);
      for (const auto& [member, time] : arrived) over[member] = last + command.time;
      arrived.clear();
    }
    if (!over.contains(rank)) return false;
    clock = over[rank];
    over.erase(rank);
    return true;
  }

  std::vector<RecordedDevice>& devices_;
  const std::vector<transport::DeviceChannel>& channels_;
  std::map<std::pair<uint32_t, size_t>, Time> clocks_;
  std::vector<std::map<uint32_t, Time>> arrived_, over_;  ///< by channel
};

struct Spinning final : live::DeviceWork {
  Spinning(const std::vector<Time>& durations, kernels::Streams& streams)
      : durations(durations), streams(streams) {}
  void compute(OpId op) override { streams.spin(durations[op]); }
  void communicate(OpId) override { FAIL() << "links do that"; }
  const std::vector<Time>& durations;
  kernels::Streams& streams;
};

std::vector<Time> durations_of(const Program& program) {
  std::vector<Time> durations;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const OpKind kind = program.type(op).kind;
    if (kind == OpKind::transfer)
      durations.push_back(per_message);
    else if (kind == OpKind::collective)
      durations.push_back(per_collective);
    else
      durations.push_back(kind == OpKind::marker ? Time{} : microseconds(1000 + 7 * (op % 13)));
  }
  return durations;
}

/// All ranks' devices after a run.
std::vector<RecordedDevice> run(const Program& program, const std::vector<Time>& durations,
                                const Timeline& order) {
  std::vector<RecordedDevice> devices(program.ranks.size());
  std::vector<transport::DeviceChannel> channels;
  for (uint32_t rank = 0; rank < devices.size(); ++rank) {
    const DeviceShare share = live::device_share(program, rank, order);
    Spinning work(durations, devices[rank]);
    live::DummyDevicePayloads payloads(program, devices[rank]);
    for (const live::Launch& launch : share.launches)
      live::put(launch, work, devices[rank], payloads);
    EXPECT_TRUE(rank == 0 || share.channels.size() == channels.size()) << "all open the same";
    channels = share.channels;
  }
  Meeting(devices, channels).run_together();
  return devices;
}

bool all_ended(const std::vector<RecordedDevice>& devices) {
  for (const RecordedDevice& device : devices)
    for (const auto& [stream, commands] : device.streams)
      if (!commands.empty()) return false;
  return true;
}

void expect_as_simulated(const Program& program) {
  const std::vector<Time> durations = durations_of(program);
  const Timeline simulated = simulate(program, durations);
  const std::vector<RecordedDevice> devices = run(program, durations, simulated);
  ASSERT_TRUE(all_ended(devices));
  // What several have a part in starts when the last is ready for it.
  const auto last = [&](size_t mark) {
    Time time;
    for (const RecordedDevice& device : devices)
      if (device.marks.contains(mark)) time = std::max(time, device.marks.at(mark));
    return time;
  };
  for (OpId op = 0; op < program.ops.size(); ++op) {
    EXPECT_EQ(last(live::start_mark(op)), simulated.spans[op].start) << "op " << op;
    EXPECT_EQ(last(live::end_mark(op)), simulated.spans[op].end) << "op " << op;
  }
  EXPECT_TRUE(all_ended(run(program, durations, {}))) << "in another order it ends, too";
}

// Compute takes a millisecond and messages microseconds, so that messages of one kind never stand
// in each other's way.
TEST(DeviceShare, every_schedule_takes_as_long_as_it_is_simulated_to) {
  for (const char* schedule :
       {"gpipe", "1f1b", "eager-1f1b", "{name: interleaved-1f1b, virtual: 2}", "zb-h1", "zb-v",
        "dualpipe", "chimera", "hanayo", "{name: terapipe, slices: [10, 8, 6]}", "pipedream"}) {
    SCOPED_TRACE(schedule);
    expect_as_simulated(live_gpt({.schedule = schedule, .tied = false}).program);
  }
}

TEST(DeviceShare, collectives_of_tensor_and_data_groups_meet) {
  expect_as_simulated(
      live_gpt({.pipeline = 2, .data = 2, .tensor = 2, .micro_batches = 4, .steps = 2}).program);
}

TEST(DeviceShare, sends_that_hold_the_compute_of_one_side_or_both) {
  for (const char* mode : {"sender", "rendezvous"})
    expect_as_simulated(
        live_gpt({.more = fmt::format("overlap: {{p2p: {}}}", mode), .tied = false}).program);
}

// Stage 1 of 3 gets activations and gradients and sends both: four kinds of message, in as many
// channels of two; the ends have two.
TEST(DeviceShare, each_kind_of_message_has_a_channel) {
  const Program program = live_gpt({.pipeline = 3, .blocks = 6, .tied = false}).program;
  const DeviceShare share = live::device_share(program, 1, {});
  size_t own = 0;
  for (const transport::DeviceChannel& channel : share.channels) {
    ASSERT_EQ(channel.members.size(), 2u);
    own += channel.members[0] == 1 || channel.members[1] == 1;
  }
  EXPECT_EQ(own, 4u);
  EXPECT_EQ(share.channels.size(), 4u);
}

}  // namespace
}  // namespace pipewright::test
