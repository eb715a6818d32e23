// A diagnosis for terminals: one screen of 80 columns.
#pragma once

#include "report/text/report.hpp"
#include "result/diagnosis.hpp"

namespace pipewright {

/// The report says which job it is, where a step's time goes, and what to change first. Names out
/// of traces are printable.
Report diagnosis_report(const Diagnosis& diagnosis);

}  // namespace pipewright
