// The output of 'sweep' and 'merge'.
#pragma once

#include "cli/options.hpp"
#include "report/ranking/sweep.hpp"
#include "study/study_file.hpp"
#include "study/sweep_store.hpp"

namespace pipewright::cli {

/// The runs of a study as its store has them.
class SweepOutcome : public Outcome {
 public:
  SweepOutcome(const Study& study, SweepStore store)
      : paths_(study.paths), objective_(study.objective), store_(std::move(store)) {}
  Forms forms() const override { return {.csv = true, .html = true}; }
  void json(std::ostream& out) const override;
  void csv(std::ostream& out) const override;
  void html(std::ostream& out) const override;
  Report report(size_t columns) const override;
  std::optional<size_t> best() const override;

 private:
  SweepView view() const;

  std::vector<std::string> paths_, objective_;
  SweepStore store_;
};

/// "3/16": shard 3 of 16. Throws InputError for anything else.
std::pair<int, int> read_shard(const std::string& text);

}  // namespace pipewright::cli
