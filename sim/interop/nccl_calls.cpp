#include "interop/nccl_calls.hpp"

#include <algorithm>
#include <deque>

namespace pipewright::interop {
namespace {

using CallsOfKernel = std::vector<const NvtxRange*>;

NcclLaunch launch_of(const CallsOfKernel& calls) {
  NcclLaunch launch;
  int64_t sent = 0, all = 0;
  for (const NvtxRange* call : calls) {
    if (launch.name.empty()) launch.name = call->word;
    if (call->communicator != 0) launch.communicator = call->communicator;
    const bool sends = call->word == "Send";
    launch.sends += sends;
    if (sends) sent += call->bytes;
    all += call->bytes;
  }
  launch.bytes = launch.sends > 0 ? sent : all;
  return launch;
}

/// By communicator, in the order of their first calls. Ranges that name none are of the first.
std::deque<CallsOfKernel> by_communicator(const CallsOfKernel& calls) {
  std::deque<CallsOfKernel> parts;
  std::vector<uint64_t> known;
  CallsOfKernel nameless;
  for (const NvtxRange* call : calls) {
    if (call->communicator == 0) {
      nameless.push_back(call);
      continue;
    }
    const auto found = std::ranges::find(known, call->communicator);
    const auto place = static_cast<size_t>(found - known.begin());
    if (found == known.end()) {
      known.push_back(call->communicator);
      parts.emplace_back();
    }
    parts[place].push_back(call);
  }
  if (parts.empty() && !nameless.empty()) parts.emplace_back();
  if (!parts.empty()) parts.front().insert(parts.front().begin(), nameless.begin(), nameless.end());
  return parts;
}

/// Goes through the launches of one thread.
class Walk {
 public:
  explicit Walk(const std::vector<NvtxRange>& calls) : calls_(calls) {}

  NcclLaunch next(Time at) {
    CallsOfKernel since, around;
    for (; next_ < calls_.size() && calls_[next_].start <= at; ++next_) {
      since.push_back(&calls_[next_]);
      if (at <= calls_[next_].end) around.push_back(&calls_[next_]);
    }
    // Within the call that began last: what ended before it had a kernel that nobody saw.
    const bool within = !since.empty() && at <= since.back()->end;
    if (!since.empty()) open_ = by_communicator(within ? around : since);
    if (open_.empty()) return {};
    const NcclLaunch launch = launch_of(open_.front());
    open_.pop_front();
    return launch;
  }

 private:
  const std::vector<NvtxRange>& calls_;
  size_t next_ = 0;
  std::deque<CallsOfKernel> open_;  ///< of the group that is launched now
};

}  // namespace

std::vector<NcclLaunch> NcclCalls::launched(int64_t thread, const std::vector<Time>& at) {
  std::vector<NvtxRange>& calls = calls_[thread];
  std::ranges::stable_sort(calls, {}, &NvtxRange::start);
  Walk walk(calls);
  std::vector<NcclLaunch> launches;
  for (const Time one : at) launches.push_back(walk.next(one));
  return launches;
}

}  // namespace pipewright::interop
