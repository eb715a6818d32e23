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

class ProcessRun {
 public:
  ProcessRun(const Program& program, DeviceWork& work, transport::Session& session,
             const KeepTimeline& keep)
      : program_(program),
        work_(work),
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
        box_(std::make_shared<DoneBox>()),
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
    start_together();
    session_.progress(0);
    for (OpId op = 0; op < program_.ops.size(); ++op)
      if (share_.starts(op) && waits_[op] == 0) start(op);
    while (!is_done()) {
      if (advance())
        nap_.start_over();
      else
        box_->wait(nap_length());
      if (now() >= next_report_) report();
    }
  }

  /// Returns how long to nap: what comes while this rank computes can mostly wait, for the end of
  /// its op ends the nap.
  std::chrono::microseconds nap_length() const {
    if (!work_.occupies_core()) return transport::Nap::shortest;
    const bool is_moving = !rings_.empty() || !session_.sent();
    return computing_ > 0 && !is_moving ? 1000us : nap_.length();
  }

  /// A rank may have seen all that it sees and still wait for the word by which it is to start a
  /// transfer, whose end the receiver sees.
  bool is_done() const {
    return seen_ == share_.seen() && begun_ == share_.started() && session_.sent();
  }

  /// Tells whether anything happened.
  bool advance() {
    bool happened = false;
    while (const std::optional<Done> done = box_->take()) {
      if (!done->error.empty()) session_.fail(done->error);
      --computing_;
      see(done->op, since_zero(done->start), since_zero(done->end));
      happened = true;
    }
    while (std::optional<Packet> packet = session_.poll()) {
      arrive(std::move(*packet));
      happened = true;
    }
    reports_.collect();
    return happened;
  }

  /// All ranks count time from the same moment.
  void start_together() {
    const transport::Offset offset = transport::align(session_);
    int64_t zero = Clock::now().time_since_epoch().count() + head_start;
    const auto all = session_.exchange(transport::bytes_of(&zero, sizeof zero), true);
    std::memcpy(&zero, all[0].data(), sizeof zero);
    zero_ = Clock::time_point(Clock::duration(zero - offset.ahead));
    std::this_thread::sleep_until(zero_);
  }

  Time since_zero(Clock::time_point at) const {
    return nanoseconds(std::max<int64_t>(0, (at - zero_).count()));
  }
  Time now() const { return since_zero(Clock::now()); }

  void start(OpId op) {
    progress_.started[op] = true;
    ++begun_;
    const Op& o = program_.ops[op];
    switch (program_.type(op).kind) {
      case OpKind::transfer:
        reports_.note({op, now(), {}});
        return send(Channel::message, op, payloads_.message(op));
      case OpKind::collective:
        starts_[op] = now();
        rings_[op].steps = payloads_.steps(op);
        return go_round(op);
      case OpKind::marker:
        return see(op, now(), now());
      default:
        ++computing_;
        return worker(o.lane).start(op);
    }
  }

  LaneWorker& worker(LaneId lane) {
    std::unique_ptr<LaneWorker>& worker = workers_[lane];
    if (!worker) worker = std::make_unique<LaneWorker>(work_, box_);
    return *worker;
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
    see(op, starts_[op], now());
    rings_.erase(op);
  }

  void arrive(Packet packet) {
    const OpId op = packet.tag;
    if (packet.channel == Channel::signal) return pass_on(op);
    if (program_.type(op).kind != OpKind::collective) {
      payloads_.receive(op, packet.bytes);
      return see(op, {}, now());
    }
    Ring& ring = rings_[op];
    ring.here[static_cast<uint32_t>(packet.from)].push_back(std::move(packet));
    if (starts_.contains(op)) go_round(op);
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
    next_report_ = now() + nanoseconds(std::chrono::nanoseconds(report_every).count());
    reports_.send();
  }

  struct Ring {
    int steps = 0, sent = 0, done = 0;
    uint32_t from = 0;                            ///< whom the step at hand waits for
    std::map<uint32_t, std::deque<Packet>> here;  ///< by sender
  };

  const Program& program_;
  DeviceWork& work_;
  transport::Session& session_;
  const KeepTimeline& keep_;
  RankProgress progress_;
  Share share_;
  std::vector<uint32_t> waits_;
  std::unique_ptr<DummyPayloads> dummy_payloads_;
  Payloads& payloads_;
  std::shared_ptr<DoneBox> box_;
  std::map<LaneId, std::unique_ptr<LaneWorker>> workers_;
  std::map<OpId, Ring> rings_;
  std::map<OpId, Time> starts_;  ///< of collectives
  size_t seen_ = 0, begun_ = 0;
  int computing_ = 0;  ///< ops
  transport::Nap nap_;
  OpReports reports_;
  Clock::time_point zero_;
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
