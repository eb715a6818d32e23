#include "diagnose/measured_program.hpp"

#include <algorithm>
#include <map>

#include "diagnose/step_graph.hpp"

namespace pipewright::diagnose {
namespace {

using Kind = OperationKind;

// Types of ops: those of operations by their kind, then these.
constexpr uint32_t gap_type = operation_kinds, meeting_type = operation_kinds + 1;

OpType type_of(Kind kind) {
  OpType type;
  if (is_transfer(kind)) {
    type.kind = OpKind::transfer;
  } else if (communicates(kind)) {
    type.kind = OpKind::collective;
    type.traffic = kind == Kind::layernorm_grads_all_reduce ? Traffic::tensor : Traffic::data;
  } else if (kind == Kind::optimizer) {
    type.kind = OpKind::step;
  } else if (kind == Kind::backward) {
    type.pass = schedule::Pass::backward;
  } else if (kind == Kind::weight_gradient) {
    type.pass = schedule::Pass::weight_gradient;
  }
  return type;
}

/// Backwards are halves where weight gradients stand apart.
std::vector<OpType> types(const MeasuredJob& job) {
  std::vector<OpType> all;
  for (int kind = 0; kind < operation_kinds; ++kind)
    all.push_back(type_of(static_cast<Kind>(kind)));
  if (std::ranges::find(job.operations, Kind::weight_gradient, &TracedOperation::kind) !=
      job.operations.end())
    all[static_cast<size_t>(Kind::backward)].pass = schedule::Pass::input_gradient;
  all.push_back({.kind = OpKind::compute});
  all.push_back({.kind = OpKind::marker});
  return all;
}

/// So many devices are like the rank; none where replicas stand once and others stand for it.
int32_t stands_for(const MeasuredJob& job, int rank) {
  if (job.folds && job.of(0, rank).empty()) return 0;
  return job.facts_of(rank / job.stages, rank % job.stages).devices;
}

class Assembly {
 public:
  explicit Assembly(const MeasuredJob& job) : job_(job) {
    builder_.program.types = types(job);
    made_.run_on = job.run_on.size();
    for (int rank = 0; rank < job.ranks(); ++rank) {
      builder_.program.ranks.push_back({.pipeline = rank % job.stages,
                                        .data = rank / job.stages,
                                        .device = rank,
                                        .multiplicity = stands_for(job, rank)});
      builder_.program.groups.push_back({rank});
    }
  }

  void add_step(size_t step) {
    all_ = job_.of_step(step);
    graph_ = graph_of(job_, step);
    made_.unmatched += graph_.unmatched;
    computed_.assign(static_cast<size_t>(job_.ranks()), Time{});
    begin_ = std::ranges::min_element(all_, {}, &TracedOperation::start)->start;
    lanes_.clear();
    first_ = made_.body.size();
    first_meeting_ = static_cast<OpId>(builder_.program.ops.size());
    iteration_ = made_.steps.size();
    for (size_t group = 0; group < graph_.groups; ++group) add_op(meeting_type, 0, {}, {}, {});
    for (const TracedOperation& one : all_) {
      iteration_ = made_.run_on > 0 ? job_.iteration_of(step, one) : made_.steps.size();
      add(one);
    }
    for (size_t i = 0; i < all_.size(); ++i) connect(i);
    blame_last_of_groups();
    const std::vector<Time> ends = first_ends();
    for (size_t i = 0; i < all_.size(); ++i)
      if (meets(i)) wait_for_last(i, ends[graph_.group[i]]);
    if (job_.lacks) mark_unseen();
    made_.steps.push_back(step);
  }

  MeasuredProgram finish() && {
    if (!job_.knows_hosts) made_.late.clear();
    made_.program = std::move(builder_).finish();
    made_.measured = {std::move(spans_), "measured"};
    return std::move(made_);
  }

 private:
  bool meets(size_t i) const { return graph_.group[i] != nothing; }
  OpId meeting_of(size_t i) const { return first_meeting_ + static_cast<OpId>(graph_.group[i]); }
  OpId body_of(size_t i) const { return made_.body[first_ + i]; }
  OpId gap_of(size_t i) const { return made_.gap[first_ + i]; }

  OpId add_op(uint32_t type, uint32_t rank, Time start, Time end, Time length) {
    Op op{.type = type, .rank = rank};
    const OpKind kind = builder_.program.types[type].kind;
    if (kind == OpKind::transfer || kind == OpKind::collective) op.peer = rank;
    spans_.push_back({start, start, end});
    made_.lengths.push_back(length);
    made_.step.push_back(iteration_);
    made_.late.push_back({});
    return builder_.add(op);
  }

  LaneId lane_of(uint32_t rank, uint8_t number) {
    const auto [lane, fresh] = lanes_.try_emplace({rank, number}, LaneId{});
    if (fresh)
      lane->second = builder_.add_lane(rank, number == 0 ? Stream::compute : Stream::backward);
    return lane->second;
  }

  void add(const TracedOperation& one) {
    const auto rank = static_cast<uint32_t>(job_.rank_of(one));
    const Time start = one.start - begin_, end = one.end() - begin_;
    // What a rank waits for may be in what the trace lacks, and is no gap of its host.
    const OpId gap = add_op(job_.lacks ? meeting_type : gap_type, rank, start, start, {});
    const OpId body =
        add_op(static_cast<uint32_t>(one.kind), rank, start, end, one.duration - one.held);
    builder_.program.ops[body].micro_batch = std::max(one.micro_batch, 0);
    if (!communicates(one.kind)) {
      builder_.append(lane_of(rank, one.lane), gap);
      builder_.append(lane_of(rank, one.lane), body);
    }
    made_.gap.push_back(gap);
    made_.body.push_back(body);
  }

  bool begins_iteration(size_t i) const {
    return std::ranges::none_of(graph_.after[i], [&](size_t before) {
      return all_[before].iteration == all_[i].iteration;
    });
  }

  void connect(size_t i) {
    Time ready;
    for (const size_t before : graph_.after[i]) {
      ready = std::max(ready, all_[before].end() - begin_);
      builder_.depend(body_of(before), gap_of(i));
    }
    if (!job_.joined ? graph_.after[i].empty() : begins_iteration(i))
      made_.begins.push_back(gap_of(i));
    const TracedOperation& one = all_[i];
    const Time start = one.start - begin_;
    // Ranks do not begin a step at once: each counts from its own begin.
    if (job_.knows_hosts && graph_.after[i].empty()) ready = start - one.since_begin;
    made_.lengths[gap_of(i)] = std::max(start - ready, Time{}) + one.held;
    made_.late[gap_of(i)] = lateness(i, ready) + one.held;
    spans_[gap_of(i)].start = spans_[gap_of(i)].ready = std::clamp(ready, Time{}, start);
    if (!meets(i)) {
      builder_.depend(gap_of(i), body_of(i));
      return;
    }
    const OpId meeting = meeting_of(i);
    made_.step[meeting] = made_.step[body_of(i)];
    builder_.depend(gap_of(i), meeting);
    builder_.depend(meeting, body_of(i));
    Time& last = spans_[meeting].end;
    last = std::max(last, start);
    spans_[meeting].start = spans_[meeting].ready = last;
  }

  /// Members that were ready early waited for the others, and not for their hosts.
  void blame_last_of_groups() {
    std::vector<std::vector<size_t>> members(graph_.groups);
    for (size_t i = 0; i < all_.size(); ++i)
      if (meets(i)) members[graph_.group[i]].push_back(i);
    std::erase_if(members, [](const std::vector<size_t>& group) { return group.empty(); });
    if (job_.one_clock)
      wait_for_last_ready(members);
    else
      blame_last_ready(members);
  }

  /// What such a group begins after the last of its members was ready is its hosts'.
  void wait_for_last_ready(const std::vector<std::vector<size_t>>& members) {
    for (const std::vector<size_t>& group : members) {
      Time last;
      for (const size_t i : group) last = std::max(last, spans_[gap_of(i)].ready);
      for (const size_t i : group) {
        Span& gap = spans_[gap_of(i)];
        Time& length = made_.lengths[gap_of(i)];
        length = std::clamp(gap.end - last, Time{}, length);
        gap.end = gap.start + length;
      }
    }
  }

  /// Where all members begin at once, the one that was ready last is late.
  void blame_last_ready(const std::vector<std::vector<size_t>>& members) {
    for (const std::vector<size_t>& group : members) {
      const auto [first, last] =
          std::ranges::minmax(group, {}, [&](size_t i) { return all_[i].start; });
      if (all_[last].start - all_[first].start > same_time) continue;
      const size_t blamed =
          *std::ranges::min_element(group, {}, [&](size_t i) { return made_.lengths[gap_of(i)]; });
      for (const size_t i : group) {
        if (i == blamed) continue;
        made_.lengths[gap_of(i)] = {};
        Span& gap = spans_[gap_of(i)];
        gap.end = gap.start;
      }
    }
  }

  /// How long the device waits for the host of what it is ready for. A rank has no reason to ask
  /// for a message before it has computed what it asked for before.
  Time lateness(size_t i, Time ready) {
    const TracedOperation& one = all_[i];
    Time& computed = computed_[static_cast<size_t>(job_.rank_of(one))];
    if (!communicates(one.kind)) computed = std::max(computed, one.end() - begin_);
    if (is_transfer(one.kind) && !meets(i)) return {};
    if (is_transfer(one.kind)) ready = std::max(ready, computed);
    return std::max(one.start - one.ahead - begin_ - ready, Time{});
  }

  /// By group, when the first member ends.
  std::vector<Time> first_ends() const {
    std::vector<Time> ends(graph_.groups, longest_time);
    for (size_t i = 0; i < all_.size(); ++i)
      if (meets(i)) ends[graph_.group[i]] = std::min(ends[graph_.group[i]], all_[i].end() - begin_);
    return ends;
  }

  /// What a member takes begins when the last of its group has come. A kernel that moves several
  /// messages lasts until the last of them has come: each has by the end of its other side.
  void wait_for_last(size_t i, Time first_end) {
    Span& span = spans_[body_of(i)];
    const Time met = spans_[meeting_of(i)].end;
    span.start = span.ready = std::min(met, span.end);
    const Time end = all_[i].batched ? std::min(span.end, first_end) : span.end;
    made_.lengths[body_of(i)] = std::max(end - met, Time{});
  }

  /// What others take part in that the trace lacks.
  void mark_unseen() {
    std::vector<int> members(graph_.groups);
    for (size_t i = 0; i < all_.size(); ++i)
      if (meets(i)) ++members[graph_.group[i]];
    made_.unseen.resize(made_.lengths.size());
    for (size_t i = 0; i < all_.size(); ++i)
      if (communicates(all_[i].kind))
        made_.unseen[body_of(i)] =
            meets(i) ? members[graph_.group[i]] < members_of(all_[i].kind)
                     : all_[i].kind != Kind::layernorm_grads_all_reduce;  // tensor ranks are one
  }

  /// Of the whole job.
  int members_of(Kind kind) const {
    if (is_transfer(kind) || kind == Kind::embedding_grads_all_reduce) return 2;
    return kind == Kind::clip ? job_.data_degree * job_.stages : job_.data_degree;
  }

  const MeasuredJob& job_;
  std::span<const TracedOperation> all_;
  StepGraph graph_;
  Time begin_;
  size_t first_ = 0, iteration_ = 0;
  OpId first_meeting_ = 0;
  std::map<std::pair<uint32_t, uint8_t>, LaneId> lanes_;  ///< of the step
  std::vector<Time> computed_;  ///< by rank, the end of what it has computed by now
  std::vector<Span> spans_;
  ProgramBuilder builder_;
  MeasuredProgram made_;
};

}  // namespace

MeasuredProgram program_of(const MeasuredJob& job, const std::vector<size_t>& steps) {
  Assembly assembly(job);
  for (const size_t step : steps) assembly.add_step(step);
  return std::move(assembly).finish();
}

ComputeShare MeasuredShares::of(const Program& program, OpId op) const {
  const uint32_t type = program.ops[op].type;
  ComputeShare share;
  if (type == gap_type || type == static_cast<uint32_t>(Kind::gc))
    share.host = 1;
  else
    share = SharesByPass().of(program, op);
  return share;
}

}  // namespace pipewright::diagnose
