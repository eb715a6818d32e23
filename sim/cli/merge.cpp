#include <fmt/format.h>

#include "base/tell.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"
#include "cli/registry.hpp"
#include "cli/sweep_output.hpp"

namespace pipewright::cli {
namespace {

/// The study that a store belongs to, as it was when the sweep began.
Study study_of(const StoreOwner& owner, const std::string& path, const Environment& environment) {
  return read_study(config::parse(owner.study, path), environment.catalogue);
}

/// Returns the owner of all stores. Throws InputError unless they are of one study and this
/// version, for then their joined runs are those of one sweep.
StoreOwner common_owner(const std::vector<std::string>& files) {
  StoreOwner first = SweepStore::open(files.front()).owner();
  for (const std::string& file : files) {
    const StoreOwner owner = SweepStore::open(file).owner();
    if (owner.version != version) {
      throw InputError(fmt::format("store '{}' was made by version {} of this program; this is {}",
                                   file, owner.version, version));
    }
    if (owner.study != first.study)
      throw InputError(fmt::format("'{}' belongs to another study than '{}'", file, files.front()));
  }
  return first;
}

/// A shard that was left out is no error, but easily overlooked.
void tell_missing(const Study& study, const SweepStore& store) {
  const size_t there = store.points().size();
  if (there < study.points.size()) {
    tell("{} of the {} points of the study are in none of these stores\n",
         study.points.size() - there, study.points.size());
  }
}

int merge(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  options::options_description description;
  add_common(description, common);
  std::vector<std::string> files;
  std::string store_file;
  description.add_options()("files", options::value(&files));
  description.add_options()("store", options::value(&store_file));
  parse(arguments, description, "files", -1);
  if (files.empty()) throw InputError("merge needs the stores of a sweep: A.db B.db ...");
  const StoreOwner owner = common_owner(files);
  SweepStore together(store_file, owner);
  for (const std::string& file : files)
    SweepStore::open(file).for_each([&](const SweepRun& run) { together.add(run); });
  const Study study = study_of(owner, files.front(), environment);
  tell_missing(study, together);
  write_outcome(SweepOutcome(study, std::move(together)), common, "results");
  return 0;
}

}  // namespace

const Command command::merge_command{"merge", help_merge, merge};

}  // namespace pipewright::cli
