#include "calibrate/live/executor/process_run.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <thread>

#include "base/error.hpp"
#include "calibrate/live/executor/lane_worker.hpp"
#include "calibrate/live/executor/op_reports.hpp"
#include "calibrate/live/executor/rank_status.hpp"
#include "calibrate/live/messages/dummy_payloads.hpp"
#include "calibrate/live/messages/share.hpp"
#include "calibrate/transport/clocks.hpp"
#include "calibrate/transport/nap.hpp"

namespace pipewright::live {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using transport::Channel;
using transport::Packet;

constexpr auto report_every = 300ms;
/// All have heard when the run starts by then.
constexpr int64_t head_start = 20'000'000;  // ns

/// The time of a run, which all ranks count from the same moment.
class RunClock {
 public:
  /// Returns at that moment.
  void start_together(transport::Session& session) {
    const transport::Offset offset = transport::align(session);
    int64_t zero = Clock::now().time_since_epoch().count() + head_start;
    const auto all = session.exchange(transport::bytes_of(&zero, sizeof zero), true);
    std::memcpy(&zero, all[0].data(), sizeof zero);
    zero_ = Clock::time_point(Clock::duration(zero - offset.ahead));
    std::this_thread::sleep_until(zero_);
  }

  Time since_zero(Clock::time_point at) const {
    return nanoseconds(std::max<int64_t>(0, (at - zero_).count()));
  }
  Time now() const { return since_zero(Clock::now()); }

 private:
  Clock::time_point zero_;
};

class ProcessRun {
 public:
  ProcessRun(const Program& program, DeviceWork& work, transport::Session& session,
             const KeepTimeline& keep)
      : program_(program),
        session_(session),
        keep_(keep),
        progress_{static_cast<uint32_t>(session.rank()), std::vector<bool>(program.ops.size()),
                  std::vector<bool>(program.ops.size())},
        share_(program, progress_.rank),
        waits_(share_.waits()),
        dummy_payloads_(work.payloads()
                            ? nullptr
                            : std::make_unique<DummyPayloads>(program, share_, progress_.rank)),
        payloads_(work.payloads() ? *work.payloads() : *dummy_payloads_),
        workers_(work),
        reports_(program, session) {}

  ~ProcessRun() {
    session_.describe_by({});
    session_.before_end({});
    session_.progress({});
  }

  Timeline run() {
    session_.describe_by(
        [this] { return status_of(program_, share_, progress_, seen_ == share_.seen()); });
    session_.before_end([this] {
      reports_.forget_unended();
      if (keep_) keep_(reports_.timeline());
    });
    go();
    session_.progress({});
    reports_.exchange(share_);
    return reports_.take_timeline();
  }

 private:
  void go() {
    clock_.start_together(session_);
    session_.progress(0);
    for (OpId op = 0; op < program_.ops.size(); ++op)
      if (share_.starts(op) && waits_[op] == 0) start(op);
    while (!is_done()) {
      if (advance())
        nap_.start_over();
      else
        workers_.wait(nap_length());
      if (clock_.now() >= next_report_) report();
    }
  }

  /// Returns how long to nap: what comes while this rank computes can mostly wait, for the end of
  /// its op ends the nap.
  std::chrono::microseconds nap_length() const {
    if (!workers_.occupy_cores()) return transport::Nap::shortest;
    const bool is_moving = !rings_.empty() || !session_.sent();
    return workers_.are_busy() && !is_moving ? 1000us : nap_.length();
  }

  /// A rank may have seen all that it sees and still wait for the word by which it is to start a
  /// transfer, whose end the receiver sees.
  bool is_done() const {
    return seen_ == share_.seen() && begun_ == share_.started() && session_.sent();
  }

  /// Tells whether an op of a worker had ended.
  bool take_done() {
    const std::optional<Done> done = workers_.take();
    if (!done) return false;
    if (!done->error.empty()) session_.fail(done->error);
    see(done->op, clock_.since_zero(done->start), clock_.since_zero(done->end));
    return true;
  }

  bool take_packet() {
    std::optional<Packet> packet = session_.poll();
    if (!packet) return false;
    arrive(std::move(*packet));
    return true;
  }

  /// Tells whether anything happened.
  bool advance() {
    bool happened = false;
    while (take_done()) happened = true;
    while (take_packet()) happened = true;
    reports_.collect();
    return happened;
  }

  void start(OpId op) {
    progress_.started[op] = true;
    ++begun_;
    if (share_.is_exchange(op)) {
      rings_[op].begin(clock_.now(), payloads_.steps(op));
      return go_round(op);
    }
    switch (program_.type(op).kind) {
      case OpKind::transfer:
        reports_.note({op, clock_.now(), {}});
        return send(Channel::message, op, payloads_.message(op));
      case OpKind::marker:
        return see(op, clock_.now(), clock_.now());
      default:
        return workers_.start(program_.ops[op].lane, op);
    }
  }

  void send(Channel channel, OpId op, PayloadStep step) {
    session_.send(static_cast<int>(step.to), channel, op, std::move(step.payload), step.size);
  }

  /// A step is over when what the other one sends in it is here.
  void go_round(OpId op) {
    Ring& ring = rings_[op];
    while (ring.done < ring.steps) {
      if (ring.sent == ring.done) {
        PayloadStep step = payloads_.step(op, ring.sent++);
        ring.from = step.from;
        send(Channel::data, op, std::move(step));
      }
      std::deque<Packet>& here = ring.here[ring.from];
      if (here.empty()) return;
      payloads_.receive(op, ring.done++, here.front().bytes);
      here.pop_front();
    }
    payloads_.finish(op);
    see(op, ring.start, clock_.now());
    rings_.erase(op);
  }

  void arrive(Packet packet) {
    const OpId op = packet.tag;
    if (packet.channel == Channel::signal) return pass_on(op);
    if (!share_.is_exchange(op)) {
      payloads_.receive(op, packet.bytes);
      return see(op, {}, clock_.now());
    }
    Ring& ring = rings_[op];
    ring.here[static_cast<uint32_t>(packet.from)].push_back(std::move(packet));
    if (ring.is_begun) go_round(op);
  }

  /// `op` has ended, and this rank has seen it.
  void see(OpId op, Time start, Time end) {
    ++seen_;
    session_.progress(seen_);
    reports_.note({op, start, end});
    for (const uint32_t rank : share_.signals(op))
      session_.send(static_cast<int>(rank), Channel::signal, op);
    pass_on(op);
  }

  void pass_on(OpId op) {
    progress_.ended[op] = true;
    for (const Edge edge : program_.after(op))
      if (share_.waits_for(op, edge.to()) && --waits_[edge.to()] == 0) start(edge.to());
  }

  void report() {
    next_report_ = clock_.now() + nanoseconds(std::chrono::nanoseconds(report_every).count());
    reports_.send();
  }

  struct Ring {
    Time start;
    bool is_begun = false;  ///< here: others may have been first
    int steps = 0, sent = 0, done = 0;
    uint32_t from = 0;                            ///< whom the step at hand waits for
    std::map<uint32_t, std::deque<Packet>> here;  ///< by sender

    void begin(Time now, int all_steps) {
      start = now;
      steps = all_steps;
      is_begun = true;
    }
  };

  const Program& program_;
  transport::Session& session_;
  const KeepTimeline& keep_;
  RankProgress progress_;
  Share share_;
  std::vector<uint32_t> waits_;
  std::unique_ptr<DummyPayloads> dummy_payloads_;
  Payloads& payloads_;
  LaneWorkers workers_;
  std::map<OpId, Ring> rings_;
  size_t seen_ = 0, begun_ = 0;
  transport::Nap nap_;
  OpReports reports_;
  RunClock clock_;
  Time next_report_;
};

}  // namespace

Timeline run_over_processes(const Program& program, DeviceWork& work, transport::Session& session,
                            const KeepTimeline& keep) {
  for (const Lane& lane : program.lanes)
    ensure(lane.policy == LanePolicy::in_order, "live lanes run in order");
  return ProcessRun(program, work, session, keep).run();
}

}  // namespace pipewright::live
