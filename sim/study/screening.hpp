// Screens by what closed forms say of the points of a study, quickly enough for a million of them.
// Degrees of pipeline and data parallelism, the schedule, the global batch and the partition change
// no layer: points that differ in these alone share a table of layer times.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "estimate/closed_form.hpp"
#include "machine/run_options.hpp"
#include "study/study_file.hpp"

namespace pipewright {

/// What closed forms know of a point.
struct Screened {
  ClosedForm form;
  std::string misfit;  ///< why it cannot be; the form is empty then
};

/// May be shared by threads.
class Screening {
 public:
  Screening(const Study& study, const config::Catalogue& catalogue, const RunOptions& options);
  ~Screening();

  /// Returns what closed forms say of a point; empty where they do not know its kind. Throws the
  /// InputError of a point that is wrong in itself.
  std::optional<Screened> of(const StudyPoint& point);

 private:
  struct Table;
  using Key = std::vector<const Setting*>;  // those that the layers depend on

  Table& table(const StudyPoint& point);
  std::unique_ptr<Table> make_table(const StudyPoint& point) const;

  const Study& study_;
  const config::Catalogue& catalogue_;
  RunOptions options_;
  bool separable_ = true;  // no path changes layers and something else
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Table>> tables_;
};

}  // namespace pipewright
