#include "program/posting_choice.hpp"

#include <algorithm>

namespace pipewright {
namespace {

using schedule::Action;
using schedule::Order;
using schedule::Pass;
using schedule::Schedule;

bool splits_backwards(const Schedule& schedule) {
  return std::ranges::any_of(schedule.order, [](const Order& order) {
    return std::ranges::any_of(order,
                               [](const Action& a) { return a.pass == Pass::weight_gradient; });
  });
}

bool has_one_stage_a_rank(const Schedule& schedule) {
  return schedule.chunks() == 1 && std::ranges::all_of(schedule.order, [](const Order& order) {
           return std::ranges::all_of(
               order, [&](const Action& a) { return a.stage == order.front().stage; });
         });
}

/// Several chunks a rank, stage s on rank s mod p, as in interleaved schedules.
bool is_looped(const Schedule& schedule) {
  if (schedule.chunks() == 1) return false;
  for (int rank = 0; rank < schedule.ranks(); ++rank)
    for (const Action& a : schedule.order[rank])
      if (a.stage % schedule.ranks() != rank) return false;
  return true;
}

/// Returns, for each backward pass of a rank, how many forwards come before it.
std::vector<int> forwards_before_backwards(const Order& order) {
  std::vector<int> result;
  int forwards = 0;
  for (const Action& a : order) {
    if (a.pass == Pass::forward)
      ++forwards;
    else
      result.push_back(forwards);
  }
  return result;
}

/// Tells whether no stage is more than one forward ahead of the next.
bool keeps_step(const Schedule& schedule) {
  std::vector<std::vector<int>> ahead(static_cast<size_t>(schedule.stages));
  for (const Order& order : schedule.order)
    if (!order.empty()) ahead[order.front().stage] = forwards_before_backwards(order);
  for (size_t stage = 0; stage + 1 < ahead.size(); ++stage) {
    const std::vector<int>&here = ahead[stage], &next = ahead[stage + 1];
    for (size_t k = 0; k < std::min(here.size(), next.size()); ++k)
      if (here[k] > next[k] + 1) return false;
  }
  return true;
}

/// Returns with how many micro-batches of one stage a rank begins.
int first_run(const Schedule& schedule, const Order& order) {
  const auto end = std::ranges::find_if(order, [&](const Action& a) {
    return a.stage != order.front().stage || a.pass != Pass::forward;
  });
  return static_cast<int>(end - order.begin()) / schedule.slices;
}

bool comes_round_in_time(const Schedule& schedule) {
  return std::ranges::all_of(schedule.order, [&](const Order& order) {
    return first_run(schedule, order) <= schedule.ranks();
  });
}

}  // namespace

Posting choose_posting(const Schedule& schedule) {
  if (splits_backwards(schedule)) return Posting::ahead;
  if (has_one_stage_a_rank(schedule))
    return keeps_step(schedule) ? Posting::in_turn : Posting::ahead;
  const bool looped = is_looped(schedule) && comes_round_in_time(schedule);
  return looped ? Posting::looped : Posting::ahead;
}

}  // namespace pipewright
