#include "diagnose/usual_messages.hpp"

#include <algorithm>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {
namespace {

using Kind = OperationKind;

/// The same side of a message that goes the other way.
Kind other_direction(Kind kind) {
  switch (kind) {
    case Kind::forward_send:
      return Kind::backward_send;
    case Kind::backward_send:
      return Kind::forward_send;
    case Kind::forward_recv:
      return Kind::backward_recv;
    default:
      return Kind::forward_recv;
  }
}

double median_without(std::vector<double> values, double one) {
  values.erase(std::ranges::find(values, one));
  return median_of(std::move(values));
}

}  // namespace

std::pair<int, int> ends_of(const MeasuredJob& job, const TracedOperation& transfer) {
  const bool to_next = transfer.kind == Kind::forward_send || transfer.kind == Kind::backward_recv;
  int other = (transfer.stage + (to_next ? 1 : job.stages - 1)) % job.stages;
  if (!job.placement.empty() && transfer.chunk >= 0) {
    const int holder =
        job.holder_of(job.model_stage(transfer) + (to_next ? 1 : -1), transfer.stage);
    if (holder >= 0) other = holder;
  }
  return to_next ? std::pair(transfer.stage, other) : std::pair(other, transfer.stage);
}

UsualMessages::UsualMessages(const Evidence& evidence) : evidence_(evidence) {
  std::map<Link, std::map<Kind, std::vector<double>>> times;
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (!is_transfer(one.kind) || evidence.trace.is_unseen(body)) return;
    const auto [from, to] = ends_of(evidence.job, one);
    times[{from, to, one.dp_rank}][one.kind].push_back(in_seconds(evidence.lengths[body]));
  });
  for (auto& [link, kinds] : times)
    for (auto& [kind, all] : kinds) links_[link][kind] = median_of(std::move(all));
  if (links_.size() == 1)
    compare_directions();
  else
    compare_links();
}

void UsualMessages::compare_links() {
  std::map<Kind, std::vector<double>> all;
  for (const auto& [link, own] : links_)
    for (const auto& [kind, time] : own) all[kind].push_back(time);
  std::map<Kind, double> of_all;
  for (const auto& [kind, times] : all) of_all[kind] = median_of(times);
  for (const auto& [link, own] : links_)
    for (const auto& [kind, time] : own) {
      if (all[kind].size() < 2) continue;
      usual_[link][kind] = all[kind].size() > many ? of_all[kind] : median_without(all[kind], time);
    }
}

void UsualMessages::compare_directions() {
  const auto& [link, own] = *links_.begin();
  for (const auto& [kind, ignored] : own)
    if (const auto found = own.find(other_direction(kind)); found != own.end())
      usual_[link][kind] = found->second;
}

Time UsualMessages::of(const TracedOperation& transfer, OpId body) const {
  const Time ideal = evidence_.ideal[body];
  const auto [from, to] = ends_of(evidence_.job, transfer);
  const auto link = usual_.find({from, to, transfer.dp_rank});
  if (link == usual_.end()) return ideal;
  const auto found = link->second.find(transfer.kind);
  return found == link->second.end() ? ideal : std::min(ideal, seconds(found->second));
}

double UsualMessages::slowdown(std::pair<int, int> ends, int data) const {
  const Link link{ends.first, ends.second, data};
  const auto own = links_.find(link), usual = usual_.find(link);
  if (own == links_.end() || usual == usual_.end()) return 1;
  double most = 1;
  for (const auto& [kind, time] : own->second)
    if (const auto found = usual->second.find(kind);
        found != usual->second.end() && found->second > 0)
      most = std::max(most, time / found->second);
  return most;
}

}  // namespace pipewright::diagnose
