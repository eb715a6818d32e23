#include "convert/export_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/required.hpp"
#include "convert/resharding_messages.hpp"
#include "convert/trace_collectives.hpp"
#include "interop/goal_writer.hpp"
#include "machine/run_options.hpp"
#include "program/names.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "run/schedule_hardware.hpp"

namespace pipewright {
namespace {

constexpr int compute_cpu = 0, communication_cpu = 1, second_server_cpu = 2;

class TraceExport {
 public:
  TraceExport(const Program& program, std::span<const Time> durations, const Prepared& prepared,
              TraceWriter& writer, const char* form)
      : form_(form),
        program_(program),
        durations_(durations),
        collectives_(program, required(prepared.links.topology, "the links of a job")),
        reshardings_(prepared.prices.resharding),
        writer_(writer),
        here_(program.ops.size(), none),
        first_(program.ops.size()),
        last_(program.ops.size()) {
    find_ranks();
    for (OpId op = 0; op < program_.ops.size(); ++op) check(op);
    list_ops();
  }

  void write() {
    writer_.num_ranks(static_cast<uint32_t>(rank_of_.size()));
    for (uint32_t device = 0; device < rank_of_.size(); ++device) {
      writer_.begin_rank(device);
      if (rank_of_[device] != none) write_rank(rank_of_[device]);
      writer_.end_rank();
    }
  }

 private:
  struct Requirement {
    uint32_t op, on;
  };

  const Op& op(OpId id) const { return program_.ops[id]; }
  int32_t device(uint32_t rank) const { return program_.ranks[rank].device; }
  bool is_collective(OpId id) const { return program_.type(id).kind == OpKind::collective; }
  bool is_resharding(OpId id) const { return program_.type(id).resharding != none; }
  /// Tells whether the op is a message; nothing is sent between two stages of one device.
  bool is_message(OpId id) const {
    return program_.type(id).kind == OpKind::transfer && op(id).rank != op(id).peer;
  }

  void find_ranks() {
    for (uint32_t rank = 0; rank < program_.ranks.size(); ++rank) {
      const auto device = static_cast<size_t>(program_.ranks[rank].device);
      if (device >= rank_of_.size()) rank_of_.resize(device + 1, none);
      ensure(rank_of_[device] == none, "two ranks on one device");
      rank_of_[device] = rank;
    }
  }

  bool takes_part(uint32_t rank, OpId collective) const {
    const std::vector<int32_t>& devices = program_.groups[op(collective).peer];
    return std::find(devices.begin(), devices.end(), device(rank)) != devices.end();
  }

  /// Throws InputError where what follows an op would have to do so on a rank that does not know
  /// when the op ends.
  void check(OpId id) const {
    if (is_message(id) && op(id).lane != none) {
      throw InputError(
          fmt::format("{} holds its rank, which {} cannot say: its sends wait for nobody",
                      describe(program_, id), form_));
    }
    for (const Edge edge : program_.after(id)) {
      if (is_seen_by(id, edge.to())) continue;
      throw InputError(fmt::format("{} follows {} without a message, which {} cannot say",
                                   describe(program_, edge.to()), describe(program_, id), form_));
    }
  }

  bool is_seen_by(OpId id, OpId next) const {
    if (is_resharding(next)) return is_on_mesh(op(id).rank, op(next).rank);
    if (is_resharding(id)) return is_on_mesh(op(next).rank, op(id).peer);
    const uint32_t ends_at = is_message(id) ? op(id).peer : op(id).rank;
    if (is_collective(id)) return is_collective(next) || takes_part(op(next).rank, id);
    return is_collective(next) ? takes_part(ends_at, next) : ends_at == op(next).rank;
  }

  /// Tells whether `rank` is on the mesh of `other`.
  bool is_on_mesh(uint32_t rank, uint32_t other) const {
    return program_.ranks[rank].pipeline == program_.ranks[other].pipeline;
  }

  template <class F>
  void for_each_rank(OpId id, F&& visit) const {
    if (is_resharding(id)) {
      for (uint32_t rank = 0; rank < program_.ranks.size(); ++rank)
        if (is_on_mesh(rank, op(id).rank) || is_on_mesh(rank, op(id).peer)) visit(rank);
      return;
    }
    if (is_collective(id)) {
      for (const int32_t device : program_.groups[op(id).peer]) visit(rank_of_[device]);
      return;
    }
    visit(op(id).rank);
    if (is_message(id)) visit(op(id).peer);
  }

  void list_ops() {
    offset_.assign(program_.ranks.size() + 1, 0);
    for (OpId id = 0; id < program_.ops.size(); ++id)
      for_each_rank(id, [&](uint32_t rank) { ++offset_[rank + 1]; });
    for (size_t rank = 1; rank < offset_.size(); ++rank) offset_[rank] += offset_[rank - 1];
    ops_.resize(offset_.back());
    std::vector<uint64_t> next(offset_.begin(), offset_.end() - 1);
    for (OpId id = 0; id < program_.ops.size(); ++id)
      for_each_rank(id, [&](uint32_t rank) { ops_[next[rank]++] = id; });
  }

  void write_rank(uint32_t rank) {
    const std::span<const OpId> ops(&ops_[offset_[rank]], offset_[rank + 1] - offset_[rank]);
    requirements_.clear();
    for (const OpId id : ops) write_op(rank, id);
    for (const OpId id : ops) {
      if (last_[id] == none) continue;
      for (const Edge edge : program_.after(id)) {
        if (here_[edge.to()] == rank && first_[edge.to()] != none)
          writer_.requires_end(first_[edge.to()], last_[id]);
      }
    }
    for (const Requirement& r : requirements_) writer_.requires_end(r.op, r.on);
  }

  /// Labels of what on this rank starts the op and of what ends it.
  void write_op(uint32_t rank, OpId id) {
    here_[id] = rank;
    if (is_collective(id)) return write_collective(rank, id);
    if (is_resharding(id)) return write_resharding(rank, id);
    if (!is_message(id)) {
      first_[id] = last_[id] = writer_.calc(calculation(id));
      return;
    }
    const int64_t bytes = program_.type(id).bytes.count;
    const auto to = static_cast<uint32_t>(device(op(id).peer));
    const auto from = static_cast<uint32_t>(device(op(id).rank));
    first_[id] = last_[id] = none;
    if (op(id).rank == rank)
      first_[id] = writer_.send(bytes, to, id, communication_cpu);
    else
      last_[id] = writer_.recv(bytes, from, id, communication_cpu);
  }

  static int64_t whole_nanoseconds(Time time) { return divide(time, 1000).ps; }

  int cpu_of(OpId id) const {
    if (op(id).lane == none) return communication_cpu;
    const Stream stream = program_.lanes[op(id).lane].stream;
    if (stream == Stream::backward) return second_server_cpu;
    return stream == Stream::compute ? compute_cpu : communication_cpu;
  }

  TraceWriter::Calculation calculation(OpId id) const {
    TraceWriter::Calculation what{whole_nanoseconds(durations_[id]), cpu_of(id),
                                  name(program_, id)};
    for (const Work& work : program_.works_of(program_.type(id))) {
      what.flops += work.flops;
      what.bytes += static_cast<double>(work.read.count + work.written.count);
    }
    return what;
  }

  void write_collective(uint32_t rank, OpId id) {
    const OpType& type = program_.type(id);
    if (writer_.has_collectives() && type.collective != CollectiveKind::shift) {
      first_[id] = last_[id] = writer_.collective(type.collective, type.bytes, op(id).peer,
                                                  program_.groups[op(id).peer]);
      return;
    }
    const uint32_t begin = first_[id] = writer_.calc(point());
    std::array<uint32_t, collective::streams> sent;
    sent.fill(begin);
    std::array<std::vector<uint32_t>, collective::streams> received;
    for (const CollectiveStep& step : collectives_.of(id, device(rank))) {
      const auto peer = static_cast<uint32_t>(step.peer);
      if (!step.sends) {
        received[step.stream].push_back(
            writer_.recv(step.bytes.count, peer, id, communication_cpu));
        continue;
      }
      const uint32_t send = writer_.send(step.bytes.count, peer, id, communication_cpu);
      follow(send, sent[step.stream], received[step.stream]);
      sent[step.stream] = send;
    }
    last_[id] = writer_.calc(point());
    for (size_t stream = 0; stream < collective::streams; ++stream)
      follow(last_[id], sent[stream], received[stream]);
  }

  /// Writes what a device sends and receives of a tensor that one mesh sends another.
  void write_resharding(uint32_t rank, OpId id) {
    const bool takes = is_on_mesh(rank, op(id).peer);
    const uint32_t begin = takes ? none : writer_.calc(point());
    const std::vector<resharding::Message>& messages = reshardings_.of(program_.type(id));
    std::map<size_t, uint32_t> received;  // labels, by message
    for (size_t k = 0; k < messages.size(); ++k) {
      const auto& [from, to, share, after] = messages[k];
      const int64_t bytes =
          std::llround(share * static_cast<double>(program_.type(id).bytes.count));
      if (to == device(rank))
        received[k] = writer_.recv(bytes, static_cast<uint32_t>(from), id, communication_cpu);
      if (from != device(rank)) continue;
      const uint32_t send = writer_.send(bytes, static_cast<uint32_t>(to), id, communication_cpu);
      if (after.empty()) requirements_.push_back({send, begin});
      for (const size_t before : after) requirements_.push_back({send, received.at(before)});
    }
    first_[id] = begin;
    last_[id] = takes ? writer_.calc(point()) : none;
    if (!takes) return;
    for (const auto& [message, label] : received) requirements_.push_back({last_[id], label});
  }

  static TraceWriter::Calculation point() { return {.cpu = communication_cpu}; }

  /// `label` waits for what was sent last and all that was received since.
  void follow(uint32_t label, uint32_t sent, std::vector<uint32_t>& received) {
    requirements_.push_back({label, sent});
    for (const uint32_t one : received) requirements_.push_back({label, one});
    received.clear();
  }

  const char* form_;
  const Program& program_;
  std::span<const Time> durations_;
  CollectiveSteps collectives_;
  ReshardingMessages reshardings_;
  TraceWriter& writer_;
  std::vector<uint32_t> rank_of_;  // by device
  std::vector<uint64_t> offset_;   // by rank, into ops_
  std::vector<OpId> ops_;
  // By op, of the rank that is being written:
  std::vector<uint32_t> here_, first_, last_;
  std::vector<Requirement> requirements_;
};

void refuse_other_sends(const Experiment& experiment, const Prepared& prepared, const char* form) {
  const std::string why =
      fmt::format("{}'s sends wait for nobody and leave when they are computed", form);
  if (prepared.schedule.sends != schedule::Sends::as_asked) {
    experiment.misfit("schedule",
                      fmt::format("{} sends in its own way, but {}", prepared.schedule_name, why));
  }
  if (prepared.overlap.p2p.mode != SendMode::async)
    experiment.fail("overlap", fmt::format("{}: only 'p2p: async' can be written", why));
}

void export_to(TraceWriter& writer, const char* form, const Experiment& experiment,
               const config::Catalogue& catalogue, RunOptions options) {
  options.fold = false;
  refuse_simulated_only(experiment, "exported");
  const Prepared prepared = prepare(experiment, catalogue, options);
  refuse_other_sends(experiment, prepared, form);
  const Program program = lower(prepared.lowering(prepared.folding));
  std::vector<Time> durations = price(program, prepared.prices);
  adapt_to_hardware(prepared.schedule, program, durations);
  TraceExport(program, durations, prepared, writer, form).write();
}

}  // namespace

void export_goal(const Experiment& experiment, const config::Catalogue& catalogue,
                 RunOptions options, std::ostream& out) {
  goal::Writer writer(out);
  export_to(writer, "GOAL", experiment, catalogue, options);
}

void export_chakra(const Experiment& experiment, const config::Catalogue& catalogue,
                   RunOptions options, const chakra::Writer::Sink& sink) {
  chakra::Writer writer(sink);
  export_to(writer, "Chakra", experiment, catalogue, options);
}

}  // namespace pipewright
