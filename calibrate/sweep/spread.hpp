// A sweep spread over processes.
//
// Each process runs as many points at a time as it has threads, and asks the first one for another
// whenever one has ended: a slow host or a large point holds up nobody. The first hands out, runs
// points itself, and keeps what all find, so that one store and one table hold everything.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "calibrate/transport/session.hpp"
#include "study/sweep.hpp"

namespace pipewright::spread {

/// Leads a sweep on the first process, by two threads: one sweeps, the other answers the other
/// processes.
class Lead {
 public:
  Lead(transport::Session& session, const Study& study, int threads);

  /// SweepOptions::spread. A point that failed elsewhere is run again here, which says why.
  void run(std::span<const StudyPoint* const> points, const SweepOptions::Simulate& simulate,
           const SweepOptions::Keep& keep);
  /// There is nothing more to run.
  void end();

  /// Serves until end(), and until the others know. Throws Failure when one of them is gone.
  void serve();

 private:
  void handle(const transport::Packet& packet);
  void answer();
  const StudyPoint* take();
  void take_back(const std::vector<std::byte>& bytes);
  void run_here(const SweepOptions::Simulate& simulate, const SweepOptions::Keep& keep);
  void wait_for_others();

  transport::Session& session_;
  const Study& study_;
  size_t threads_;
  std::deque<int> asking_;  // ranks, once for each point that they ask for
  int gone_ = 0;            // ranks that know of the end

  std::mutex mutex_;  // of all below
  std::condition_variable returned_;
  std::deque<const StudyPoint*> left_;
  std::vector<const StudyPoint*> failed_;  // elsewhere
  size_t elsewhere_ = 0;                   // points that others have
  const SweepOptions::Keep* keep_ = nullptr;
  std::exception_ptr error_;  // of keeping
  bool ended_ = false;
};

/// Follows on all other processes: runs what the first hands out, until it has no more.
void follow(transport::Session& session, const Study& study, int threads,
            const SweepOptions::Simulate& simulate);

}  // namespace pipewright::spread
