// One line of a terminal that is written over again and again.
#pragma once

#include "calibrate/measure/run.hpp"

namespace pipewright::cli {

class ProgressLine {
 public:
  /// Prints nothing unless `visible`.
  explicit ProgressLine(bool visible) : visible_(visible) {}
  ~ProgressLine() { clear(); }
  void show(const calibration::Progress& progress, const std::string& what);
  void clear();

 private:
  bool visible_, shown_ = false;
};

}  // namespace pipewright::cli
