#include "experiment/failures.hpp"

namespace pipewright {
namespace {

double positive(const config::Value& value, const char* what) {
  const double seconds = config::as_seconds(value);
  if (!(seconds > 0)) value.fail(std::string(what) + " must be more than zero");
  return seconds;
}

}  // namespace

Failures read_failures(const config::Value& value) {
  const config::Fields fields(
      value, "failures", {"device_mtbf", "checkpoint_interval", "checkpoint_time", "restart_time"});
  Failures failures;
  failures.device_mtbf_s = positive(fields.at("device_mtbf"), "device_mtbf");
  if (const config::Value* interval = fields.find("checkpoint_interval"))
    failures.checkpoint_interval_s = positive(*interval, "checkpoint_interval");
  if (const config::Value* time = fields.find("checkpoint_time"))
    failures.checkpoint_time_s = config::as_seconds(*time);
  if (const config::Value* time = fields.find("restart_time"))
    failures.restart_time_s = config::as_seconds(*time);
  if (!failures.checkpoint_interval_s && failures.checkpoint_time_s <= 0)
    value.lacks("failures needs a checkpoint_interval, or a checkpoint_time to find the best one");
  return failures;
}

}  // namespace pipewright
