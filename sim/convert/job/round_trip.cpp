#include "convert/job/round_trip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/several_errors.hpp"
#include "config/emit.hpp"
#include "convert/job/leaves.hpp"
#include "convert/job/settings.hpp"
#include "convert/job/transformer_map.hpp"
#include "interop/words.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "workload/model/model.hpp"

namespace pipewright::job {
namespace {

using config::scalar;
using config::Value;

constexpr std::string_view mark = "# pipewright| ";
constexpr std::string_view definitions = "define", model_key = "model";

/// Keys of an experiment about which a job says nothing: the machine, how it is predicted, habits
/// of a framework. A key stands for those below it.
constexpr std::string_view surroundings[] = {
    "description", "source",     "cluster",    "network",
    "profile",     "stragglers", "variation",  "failures",
    "iterations",  "launches",   "kernels",    "loss",
    "framework",   "boundary",   "resharding", "overlap.optimizer",
    "overlap.p2p", "training",   "data",       "attention",
    "update",      "pause",      "checks"};

bool is_surrounding(std::string_view path) {
  return std::any_of(std::begin(surroundings), std::end(surroundings), [&](std::string_view key) {
    return path == key || (path.starts_with(key) && path[key.size()] == '.');
  });
}

/// Adam with decoupled weight decay costs the same, and frameworks have one of both or call it
/// Adam.
bool is_an_adam(std::string_view optimizer) { return optimizer == "adam" || optimizer == "adamw"; }

/// Copies what lies at `path`, or its whole top-level map. What is not there becomes null.
void copy_to(Value& to, const Value& from, std::string_view path) {
  const std::string_view first = path.substr(0, path.find('.'));
  const Value* value = from.find(first);
  if (first != "overlap") {
    to.set(first, value ? *value : Value());
    return;
  }
  if (!value) return;
  const std::string_view second = path.substr(first.size() + 1);
  const Value* inner = value->find(second);
  if (!to.find(first)) to.set(first, {});
  if (inner) to.find(first)->set(second, *inner);
}

/// Tells whether the document says `path` by another key: a mesh by its axes, copies of weights by
/// their number.
bool is_said_otherwise(const Value& document, std::string_view path) {
  const bool is_degree = path.starts_with("parallel.") && path != "parallel.sequence";
  const bool is_copies = path == "parallel.shard" && value_at(document, "parallel.replicate");
  return is_copies || (is_degree && value_at(document, "parallel.mesh"));
}

/// Returns that what is at `path` is a default, and the setting that agrees with what is read;
/// empty where the document gives it, and of a model, whose parts have defaults of their own.
std::string remedy_of(const Value& document, const std::string& path, const std::string& read) {
  if (value_at(document, path) || path.starts_with(model_key) || is_said_otherwise(document, path))
    return {};
  return fmt::format("; this is a default, and {}: {} would agree", path, read);
}

/// Tells whether `leaves` have a key below `path`.
bool within(const Leaves& leaves, const std::string& path) {
  const auto next = leaves.lower_bound(path + '.');
  return next != leaves.end() && next->first.starts_with(path + '.');
}

std::string as_comments(const Value& value) {
  std::string text;
  const std::string yaml = config::to_yaml(value);
  std::string_view rest = yaml;
  while (!rest.empty()) text += fmt::format("{}{}\n", mark, interop::take_line(rest));
  return text;
}

/// Writes a job, and what it says when it is read.
class RoundTrip {
 public:
  RoundTrip(const Experiment& experiment, const config::Catalogue& catalogue,
            const RunOptions& options, const Writer& writer, std::vector<SaidOtherwise>* left_out)
      : given_(experiment),
        catalogue_(catalogue),
        options_(options),
        writer_(writer),
        left_out_(left_out),
        document_(prepare(experiment, catalogue, options).record.resolved),
        wanted_(leaves_of(document_, catalogue, writer)) {}

  std::string run() {
    const Experiment experiment = read_experiment(resolve(document_, catalogue_));
    job_ = written(experiment);
    Value around;
    around.set("cluster", *document_.find("cluster"));
    if (Value outside = outside_of(experiment); !outside.entries.empty())
      around.set(definitions, std::move(outside));
    const Leaves first = read_back(around);
    for (const std::string& path : differences(wanted_, first)) {
      const bool is_adam = path == "optimizer" && is_an_adam(wanted_.at(path)) &&
                           first.contains(path) && is_an_adam(first.at(path));
      if (is_surrounding(path) || is_adam)
        copy_to(around, document_, path);
      else
        leave_out(path, first);
    }
    const Leaves again = read_again(around, first);
    for (const std::string& path : differences(wanted_, again)) leave_out(path, again);
    return with_head(as_comments(around), job_);
  }

 private:
  /// What a writer refuses without a place is refused of the experiment as it was given.
  std::string written(const Experiment& experiment) const {
    try {
      return writer_.write(experiment, writer_.along);
    } catch (const SeveralErrors&) {
      throw;
    } catch (const InputError& error) {
      if (!error.where().file.empty()) throw;
      throw Misfit(given_.where(""), error.message());
    }
  }

  /// Reads it with its surroundings. Habits of a framework may need what this one cannot say.
  Leaves read_again(Value& around, const Leaves& first) {
    try {
      return read_back(around);
    } catch (const InputError&) {
      if (noted_.empty() || !around.find("framework")) throw;
    }
    std::erase_if(around.entries,
                  [](const config::Entry& entry) { return entry.key == "framework"; });
    leave_out("framework", first);
    return read_back(around);
  }

  Leaves read_back(const Value& around) const {
    const std::string text = with_head(as_comments(around), job_);
    const std::string file(writer_.file);
    const Source source{.text = text,
                        .file = file,
                        .given = written_definitions(text, file),
                        .partial = false,
                        .read = {},
                        .further = {},
                        .model = {},
                        .written_model = written_model(text, file)};
    return read_job(source);
  }

  /// Reads what was written. What the framework refuses, or what cannot run as it would be read, it
  /// cannot say.
  Leaves read_job(const Source& source) const {
    try {
      const Value read = config::parse(to_yaml(writer_.read(source)), source.file);
      const Experiment experiment = read_experiment(resolve(read, catalogue_));
      return leaves_of(prepare(experiment, catalogue_, options_).record.resolved, catalogue_,
                       writer_);
    } catch (const InputError& error) {
      const std::string message = error.message().substr(0, error.message().find("; --partial"));
      given_.misfit("", fmt::format("{} cannot say this experiment: {}", writer_.format, message));
    }
  }

  Value outside_of(const Experiment& experiment) const {
    Value outside;
    if (writer_.outside)
      for (const auto& [name, value] : writer_.outside(experiment, writer_.along))
        outside.set(name, scalar(value));
    if (!writer_.model_outside) return outside;
    Value& model = outside.set(model_key, {});
    model.set("transformer", transformer_map(experiment.model_or_fail().transformer));
    if (Value constants = constants_map(model_constants(experiment)); !constants.is_null())
      model.set("constants", std::move(constants));
    return outside;
  }

  /// Notes once what is read otherwise than it was wanted, or fails. A key whose value has another
  /// form differs once.
  void leave_out(const std::string& path, const Leaves& read) {
    if (!wanted_.contains(path) && within(wanted_, path)) return;
    const auto value = [&](const Leaves& leaves) {
      const auto found = leaves.find(path);
      if (found != leaves.end()) return found->second;
      const auto whole = leaves.find(path.substr(0, path.rfind('.')));
      return whole == leaves.end() ? std::string("nothing") : whole->second;
    };
    const std::string remedy =
        read.contains(path) ? remedy_of(given_.document, path, value(read)) : "";
    const Misfit error(given_.where(path.substr(0, path.find('.'))),
                       fmt::format("{} cannot say {}: {} (it would be read as {}){}",
                                   writer_.format, path, value(wanted_), value(read), remedy));
    if (!left_out_) throw error;
    if (noted_.insert(path).second)
      left_out_->push_back(
          {path, fmt::format("{}: {} (it is read as {})", path, value(wanted_), value(read)),
           error});
  }

  const Experiment& given_;
  const config::Catalogue& catalogue_;
  const RunOptions& options_;
  const Writer& writer_;
  std::vector<SaidOtherwise>* left_out_;
  std::set<std::string> noted_;
  Value document_;
  Leaves wanted_;
  std::string job_;
};

/// What stands behind '# pipewright|'.
struct Comments {
  Value map;
  int first = 0;  ///< the line where it begins; 0 where there is nothing
};

Comments comments_of(std::string_view text, const std::string& file) {
  Comments comments;
  std::string yaml;
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view whole = interop::take_line(text);
    if (!whole.starts_with(mark)) continue;
    if (comments.first == 0) comments.first = line;
    yaml += std::string(whole.substr(mark.size())) + '\n';
  }
  if (yaml.empty()) return comments;
  comments.map = config::parse(yaml, file);
  if (!comments.map.is_map())
    throw InputError({file, comments.first, 1}, "what stands behind '# pipewright|' is no map");
  return comments;
}

/// What comments give from outside the job; an empty map where they do not.
Value outside_in(std::string_view text, const std::string& file) {
  const Comments comments = comments_of(text, file);
  const Value* outside = comments.map.is_map() ? comments.map.find(definitions) : nullptr;
  return outside && outside->is_map() ? *outside : Value();
}

}  // namespace

std::vector<std::string> unsaid_constants(const Experiment& experiment, const Writer& writer) {
  std::vector<std::string> unsaid;
  if (writer.model_outside) return unsaid;
  for (const ModelConstant& constant : model_constants(experiment))
    if (!says(writer, experiment, constant)) unsaid.push_back(text_of(constant));
  return unsaid;
}

bool leaves_base_open(const Experiment& experiment) {
  const std::vector<ModelConstant> said = model_constants(experiment);
  return experiment.model_or_fail().transformer.positions == Positions::rope &&
         std::ranges::none_of(said, [](const ModelConstant& constant) {
           return constant.what == Constant::rotary_base;
         });
}

std::string with_head(const std::string& head, const std::string& job) {
  const size_t first = job.starts_with("#!") ? std::min(job.find('\n') + 1, job.size()) : 0;
  return job.substr(0, first) + head + job.substr(first);
}

std::string write_job(const Experiment& experiment, const config::Catalogue& catalogue,
                      const RunOptions& options, const Writer& writer,
                      std::vector<SaidOtherwise>* left_out) {
  const Model& model = experiment.model_or_fail();
  if (model.cnn || model.recurrent || model.layers)
    experiment.fail("model", fmt::format("{} says transformers only", writer.format));
  return RoundTrip(experiment, catalogue, options, writer, left_out).run();
}

void read_surroundings(std::string_view text, const std::string& file, Value& experiment) {
  const Comments comments = comments_of(text, file);
  for (const config::Entry& entry : comments.map.entries) {
    const bool is_adam = entry.key == "optimizer" && is_an_adam(entry.value.text);
    const bool is_known = entry.key == "overlap" || is_adam || is_surrounding(entry.key);
    if (entry.key == definitions) continue;
    if (!is_known)
      throw InputError({file, comments.first, 1},
                       fmt::format("'{}' behind '# pipewright|' is for the job to say", entry.key));
    if (entry.value.is_null())
      std::erase_if(experiment.entries,
                    [&](const config::Entry& said) { return said.key == entry.key; });
    else if (entry.key == "overlap" && experiment.find("overlap"))
      config::merge(*experiment.find("overlap"), entry.value);
    else
      experiment.set(entry.key, entry.value);
  }
}

bool says_cluster(std::string_view text, const std::string& file) {
  const Value map = comments_of(text, file).map;
  return map.is_map() && map.find("cluster");
}

std::map<std::string, std::string> devices_outside(const Experiment& experiment, const Value&) {
  const Parallel& p = experiment.parallel;
  const int64_t devices = int64_t{p.tensor} * p.pipeline * p.context * std::max(p.data, 1);
  return {{"NGPU", std::to_string(devices)}};
}

std::map<std::string, std::string> written_definitions(std::string_view text,
                                                       const std::string& file) {
  std::map<std::string, std::string> all;
  for (const config::Entry& entry : outside_in(text, file).entries)
    if (entry.key != model_key) all[entry.key] = entry.value.text;
  return all;
}

std::optional<Value> written_model(std::string_view text, const std::string& file) {
  const Value outside = outside_in(text, file);
  const Value* model = outside.find(model_key);
  if (!model) return std::nullopt;
  return *model;
}

}  // namespace pipewright::job
