// The study that `sweep` reads: an experiment and what is varied in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}

/// A value for one key of the experiment.
struct Setting {
  std::string path;  ///< "parallel.tensor"
  config::Mark key;  ///< where the study says so
  config::Value value;
};

/// The study's number `index` run, from 0: the experiment with these settings.
struct StudyPoint {
  int64_t index = 0;
  std::vector<std::shared_ptr<const Setting>> settings;  ///< points share those that are alike
};

struct Study {
  config::Value experiment;
  std::vector<StudyPoint> points;  ///< the product of `vary`, its last key fastest, then `cases`
  std::vector<std::string> paths;  ///< every path that some point sets, in the order of the file
  std::vector<std::string> objective;
  int screen = 0;    ///< simulate only so many, the best by closed form; 0: all
  std::string text;  ///< the whole study as YAML, for telling studies apart
};

/// Reads a study; its experiment may be a map, a file or a name. Throws InputError for what is
/// wrong in the study itself, and for more than ten million points.
Study read_study(const config::Value& value, const config::Catalogue& catalogue);

/// Reads the objective of a study by itself. Throws InputError for what is no result.
std::vector<std::string> read_objective(const config::Value& value);

/// Sets it in an experiment. Throws InputError where the path leads nowhere.
void apply(const Setting& setting, config::Value& experiment);

/// The experiment of one point.
config::Value experiment_of(const Study& study, const StudyPoint& point);

/// "8", "{name: interleaved-1f1b, virtual: 4}": a setting's value on one line.
std::string one_line(const config::Value& value);

}  // namespace pipewright
