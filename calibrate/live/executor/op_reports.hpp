// When ops started and ended, as the ranks of a live run saw it, brought together at the first one.
#pragma once

#include "calibrate/live/messages/share.hpp"
#include "calibrate/transport/session.hpp"
#include "engine/timeline.hpp"

namespace pipewright::live {

/// An op whose end, start or both a rank saw; what it did not see is zero.
struct SeenOp {
  OpId op = none;
  Time start, end;
};

class OpReports {
 public:
  OpReports(const Program& program, transport::Session& session);

  /// Notes what this rank saw.
  void note(const SeenOp& seen);
  /// Sends the first rank what it has not been told yet.
  void send();
  /// At the first rank: takes in what has come.
  void collect();
  /// Has all ranks tell each other all that they saw; all come here.
  void exchange(const Share& share);
  /// Clears spans whose end nobody saw.
  void forget_unended();

  const Timeline& timeline() const { return timeline_; }
  Timeline take_timeline() { return std::move(timeline_); }

 private:
  void merge(const SeenOp& seen);
  void merge(const std::vector<std::byte>& bytes);

  const Program& program_;
  transport::Session& session_;
  Timeline timeline_;
  std::vector<SeenOp> unreported_;
};

}  // namespace pipewright::live
