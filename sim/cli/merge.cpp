#include <fmt/format.h>

#include "cli/help.hpp"
#include "cli/registry.hpp"
#include "cli/sweep_output.hpp"

namespace pipewright::cli {
namespace {

/// The study that a store belongs to, as it was when the sweep began.
Study study_of(const StoreOwner& owner, const std::string& path, const Environment& environment) {
  return read_study(config::parse(owner.study, path), environment.catalogue);
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
  const StoreOwner owner = SweepStore::open(files.front()).owner();
  SweepStore together(store_file, owner);
  for (const std::string& file : files) {
    const SweepStore part = SweepStore::open(file);
    if (part.owner().study != owner.study || part.owner().version != owner.version)
      throw InputError(fmt::format("'{}' belongs to another study than '{}'", file, files.front()));
    part.for_each([&](const SweepRun& run) { together.add(run); });
  }
  write_sweep(study_of(owner, files.front(), environment), together, common);
  return 0;
}

}  // namespace

const Command command::merge_command{"merge", help_merge, merge};

}  // namespace pipewright::cli
