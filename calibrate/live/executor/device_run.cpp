#include "calibrate/live/executor/device_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/error.hpp"
#include "calibrate/transport/clocks.hpp"
#include "program/names.hpp"

namespace pipewright::live {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto nap = 20us;
constexpr size_t most_ahead = 256;  // launches that a device may be behind its host

int64_t now() { return Clock::now().time_since_epoch().count(); }

/// The times that a rank saw of an op; the times are of the run.
struct Seen {
  OpId op = none;
  Time start, end;
};

class DeviceRun {
 public:
  DeviceRun(const Program& program, const DeviceShare& share, DeviceWork& work,
            kernels::Streams& streams, DevicePayloads& payloads, transport::DeviceLinks& links,
            transport::Session& session, const KeepTimeline& keep)
      : program_(program),
        share_(share),
        work_(work),
        streams_(streams),
        payloads_(payloads),
        links_(links),
        session_(session),
        keep_(keep) {}
  ~DeviceRun() {
    session_.describe_by({});
    session_.before_end({});
    session_.progress({});
  }
  DeviceRun(const DeviceRun&) = delete;
  DeviceRun& operator=(const DeviceRun&) = delete;

  Timeline run() {
    session_.describe_by([this] { return status(); });
    session_.before_end([this] { keep_what_ran(); });
    start_together();
    session_.progress(0);
    for (size_t i = 0; i < share_.launches.size(); ++i) {
      if (i >= most_ahead) await(i - most_ahead);
      guarded([&] { put(share_.launches[i], work_, streams_, payloads_); });
    }
    for (size_t i = reached_; i < share_.launches.size(); ++i) await(i);
    session_.progress({});
    return merged(session_.exchange(seen()));
  }

 private:
  /// Calls `call`. A failure on this rank ends the run on all; what does not come back is looked
  /// after.
  template <class F>
  void guarded(F&& call) {
    const std::string reason = session_.outside([&]() -> std::string {
      try {
        call();
        return "";
      } catch (const Failure& failure) {
        return failure.what();
      }
    });
    if (!reason.empty()) session_.fail(reason);
  }

  void keep_what_ran() {
    if (!keep_) return;
    try {
      keep_(merged({seen()}));
    } catch (const Failure&) {
      // A device that has failed does not tell its times; the reason is told elsewhere.
    }
  }

  /// The start of the run is when the last device has come to it.
  void start_together() {
    const transport::Offset offset = transport::align(session_);
    guarded([&] {
      streams_.drain();
      streams_.select(0, 0);
    });
    int64_t own = 0;
    guarded([&] {
      const int64_t before = now();
      streams_.mark(start_of_run);
      streams_.reach(start_of_run);
      own = before + (now() - before) / 2 + offset.ahead;
    });
    int64_t last = own;
    for (const auto& bytes : session_.exchange(transport::bytes_of(&own, sizeof own), true)) {
      int64_t other = 0;
      std::memcpy(&other, bytes.data(), sizeof other);
      last = std::max(last, other);
    }
    late_ = nanoseconds(last - own);
  }

  void await(size_t launch) {
    const size_t mark = end_mark(share_.launches[launch].op);
    for (;;) {
      bool is_reached = false;
      guarded([&] {
        is_reached = streams_.reached(mark);
        links_.check();
      });
      ensure(!session_.poll(), "nobody sends while devices run");
      if (is_reached) break;
      std::this_thread::sleep_for(nap);
    }
    reached_ = launch + 1;
    session_.progress(reached_);
  }

  /// Returns the time since the start; a device that came to the start before the others counts
  /// from when they did.
  Time since_start(size_t mark) {
    return std::max(Time{}, streams_.between(start_of_run, mark) - late_);
  }

  std::vector<std::byte> seen() {
    std::vector<Seen> all;
    for (size_t i = 0; i < reached_; ++i) {
      const OpId op = share_.launches[i].op;
      const Time start = since_start(start_mark(op));
      all.push_back({op, start, std::max(start, since_start(end_mark(op)))});
    }
    return transport::bytes_of(all.data(), all.size() * sizeof(Seen));
  }

  /// Merges the parts of all ranks; of an op in which several ranks have a part, the last start and
  /// end count.
  Timeline merged(const std::vector<std::vector<std::byte>>& parts) const {
    Timeline timeline{std::vector<Span>(program_.ops.size()), "cuda"};
    for (const std::vector<std::byte>& part : parts) {
      for (size_t at = 0; at + sizeof(Seen) <= part.size(); at += sizeof(Seen)) {
        Seen one;
        std::memcpy(&one, part.data() + at, sizeof one);
        Span& span = timeline.spans[one.op];
        span.start = std::max(span.start, one.start);
        span.end = std::max(span.end, one.end);
      }
    }
    fill_ready(program_, timeline);
    // Clocks agree to some microseconds.
    for (Span& span : timeline.spans) span.ready = std::min(span.ready, span.start);
    return timeline;
  }

  std::string status() const {
    if (reached_ == share_.launches.size()) return "has done its ops";
    return fmt::format("is at {}", name(program_, share_.launches[reached_].op));
  }

  const Program& program_;
  const DeviceShare& share_;
  DeviceWork& work_;
  kernels::Streams& streams_;
  DevicePayloads& payloads_;
  transport::DeviceLinks& links_;
  transport::Session& session_;
  const KeepTimeline& keep_;
  size_t reached_ = 0;  ///< launches that have ended, in order
  Time late_;           ///< of the run's start, behind this device's
};

}  // namespace

Timeline run_on_devices(const Program& program, const DeviceShare& share, DeviceWork& work,
                        kernels::Streams& streams, DevicePayloads& payloads,
                        transport::DeviceLinks& links, transport::Session& session,
                        const KeepTimeline& keep) {
  return DeviceRun(program, share, work, streams, payloads, links, session, keep).run();
}

}  // namespace pipewright::live
