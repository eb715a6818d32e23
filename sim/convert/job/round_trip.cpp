#include "convert/job/round_trip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "config/emit.hpp"
#include "convert/job/settings.hpp"
#include "convert/job/transformer_map.hpp"
#include "interop/words.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "workload/model/model.hpp"

namespace pipewright::job {
namespace {

using config::number;
using config::scalar;
using config::Value;

constexpr std::string_view mark = "# pipewright| ";

/// Keys of an experiment about which a job says nothing: the machine, how it is predicted, habits
/// of a framework. A key stands for those below it.
constexpr std::string_view surroundings[] = {
    "description", "source",     "cluster",    "network",
    "profile",     "stragglers", "variation",  "failures",
    "iterations",  "launches",   "kernels",    "loss",
    "framework",   "boundary",   "resharding", "overlap.optimizer",
    "overlap.p2p", "training",   "data",       "attention",
    "update",      "pause"};

bool is_surrounding(std::string_view path) {
  return std::any_of(std::begin(surroundings), std::end(surroundings), [&](std::string_view key) {
    return path == key || (path.starts_with(key) && path[key.size()] == '.');
  });
}

using Leaves = std::map<std::string, std::string>;

/// The values of a document by path. What is empty says nothing; nor does one stage a rank.
void add_leaves(const Value& value, const std::string& path, Leaves& leaves) {
  if (value.is_map())
    for (const config::Entry& entry : value.entries)
      add_leaves(entry.value, path.empty() ? entry.key : path + '.' + entry.key, leaves);
  else if (!value.is_null() && !(path == "parallel.virtual" && value.text == "1"))
    leaves[path] = written(value);
}

Leaves leaves_of(Value document, const config::Catalogue& catalogue) {
  const Experiment experiment = read_experiment(resolve(document, catalogue));
  document.set("model", {})
      .set("transformer", transformer_map(experiment.model_or_fail().transformer));
  Leaves leaves;
  add_leaves(document, "", leaves);
  return leaves;
}

/// Paths whose values differ.
std::vector<std::string> differences(const Leaves& wanted, const Leaves& read) {
  std::vector<std::string> paths;
  for (const auto& [path, value] : wanted) {
    const auto found = read.find(path);
    if (found == read.end() || found->second != value) paths.push_back(path);
  }
  for (const auto& [path, value] : read)
    if (!wanted.contains(path)) paths.push_back(path);
  return paths;
}

/// Copies what lies at `path`, or its whole top-level map.
void copy_to(Value& to, const Value& from, std::string_view path) {
  const std::string_view first = path.substr(0, path.find('.'));
  const Value* value = from.find(first);
  if (!value) return;
  if (first != "overlap") {
    to.set(first, *value);
    return;
  }
  const std::string_view second = path.substr(first.size() + 1);
  const Value* inner = value->find(second);
  if (!to.find(first)) to.set(first, {});
  if (inner) to.find(first)->set(second, *inner);
}

std::string as_comments(const Value& value) {
  std::string text;
  const std::string yaml = config::to_yaml(value);
  std::string_view rest = yaml;
  while (!rest.empty()) text += fmt::format("{}{}\n", mark, interop::take_line(rest));
  return text;
}

/// A script of Bash begins with its first line.
std::string with_head(const std::string& head, const std::string& job) {
  const size_t first = job.starts_with("#!") ? std::min(job.find('\n') + 1, job.size()) : 0;
  return job.substr(0, first) + head + job.substr(first);
}

/// Writes a job, and what it says when it is read.
class RoundTrip {
 public:
  RoundTrip(const Experiment& experiment, const config::Catalogue& catalogue,
            const RunOptions& options, const Writer& writer)
      : given_(experiment),
        catalogue_(catalogue),
        options_(options),
        writer_(writer),
        document_(prepare(experiment, catalogue, options).record.resolved),
        wanted_(leaves_of(document_, catalogue)) {}

  std::string run() {
    job_ = writer_.write(read_experiment(resolve(document_, catalogue_)));
    Value around;
    around.set("cluster", *document_.find("cluster"));
    const Leaves first = read_back(around);
    for (const std::string& path : differences(wanted_, first)) {
      // Adam with decoupled weight decay costs the same, and frameworks call it Adam.
      const bool is_adam =
          path == "optimizer" && wanted_.at(path) == "adamw" && first.at(path) == "adam";
      if (!is_surrounding(path) && !is_adam) fail(path, first);
      copy_to(around, document_, path);
    }
    const Leaves again = read_back(around);
    for (const std::string& path : differences(wanted_, again)) fail(path, again);
    return with_head(as_comments(around), job_);
  }

 private:
  Leaves read_back(const Value& around) const {
    const std::string text = with_head(as_comments(around), job_);
    const Source source{
        .text = text, .file = std::string(writer_.file), .given = {}, .partial = false, .read = {}};
    const Value read = config::parse(to_yaml(writer_.read(source)), source.file);
    const Experiment experiment = read_experiment(resolve(read, catalogue_));
    return leaves_of(prepare(experiment, catalogue_, options_).record.resolved, catalogue_);
  }

  [[noreturn]] void fail(const std::string& path, const Leaves& read) const {
    const auto value = [&](const Leaves& leaves) {
      const auto found = leaves.find(path);
      return found == leaves.end() ? std::string("nothing") : found->second;
    };
    given_.misfit(path.substr(0, path.find('.')),
                  fmt::format("{} cannot say {}: {} (it would be read as {})", writer_.format, path,
                              value(wanted_), value(read)));
  }

  const Experiment& given_;
  const config::Catalogue& catalogue_;
  const RunOptions& options_;
  const Writer& writer_;
  Value document_;
  Leaves wanted_;
  std::string job_;
};

}  // namespace

std::string write_job(const Experiment& experiment, const config::Catalogue& catalogue,
                      const RunOptions& options, const Writer& writer) {
  const Model& model = experiment.model_or_fail();
  if (model.cnn || model.recurrent || model.layers)
    experiment.fail("model", fmt::format("{} says transformers only", writer.format));
  refuse_simulated_only(experiment, "exported");
  return RoundTrip(experiment, catalogue, options, writer).run();
}

void read_surroundings(std::string_view text, const std::string& file, Value& experiment) {
  std::string yaml;
  int lines = 0, first = 0;
  while (!text.empty()) {
    const std::string_view line = interop::take_line(text);
    ++lines;
    if (!line.starts_with(mark)) continue;
    if (first == 0) first = lines;
    yaml += std::string(line.substr(mark.size())) + '\n';
  }
  if (yaml.empty()) return;
  const Value around = config::parse(yaml, file);
  if (!around.is_map())
    throw InputError({file, first, 1}, "what stands behind '# pipewright|' is no map");
  for (const config::Entry& entry : around.entries) {
    const bool is_adam = entry.key == "optimizer" && entry.value.text == "adamw";
    const bool is_known = entry.key == "overlap" || is_adam || is_surrounding(entry.key);
    if (!is_known)
      throw InputError({file, first, 1},
                       fmt::format("'{}' behind '# pipewright|' is for the job to say", entry.key));
    if (entry.key == "overlap" && experiment.find("overlap"))
      config::merge(*experiment.find("overlap"), entry.value);
    else
      experiment.set(entry.key, entry.value);
  }
}

}  // namespace pipewright::job
