// Experiments that say what happens themselves, in place of a model, a plan and a schedule.
#include <fmt/format.h>

#include "experiment/experiment.hpp"
#include "experiment/kind_keys.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

void read_trace(const Value& value, Experiment& e) {
  if (value.is_scalar())
    value.fail(fmt::format("a trace is a map such as '{{goal: {}}}'", value.text));
  const Fields fields(value, "a trace", keys::a_trace);
  const Value* chakra = fields.find("chakra");
  if (chakra && fields.find("goal")) value.fail("a trace: either 'goal' or 'chakra'");
  e.trace_is_chakra = chakra;
  e.trace = chakra ? *chakra : fields.at("goal");
  config::as_text(*e.trace, chakra ? "the PREFIX of the files PREFIX.0.et, PREFIX.1.et, ..."
                                   : "the path of a GOAL file");
}

}  // namespace

void read_replacement(Experiment& e) {
  if (const Value* trace = e.document.find("trace")) {
    refuse_keys_of_other_kinds(e.document, ExperimentKind::trace, "trace");
    read_trace(*trace, e);
  } else if (const Value* traffic = e.document.find("traffic")) {
    refuse_keys_of_other_kinds(e.document, ExperimentKind::traffic, "traffic");
    e.traffic = *traffic;
  }
  const bool has_peers = e.document.find("peers") != nullptr;
  if (e.network.flow.spreading.how != Spreading::How::first && has_peers)
    e.fail("network",
           "'routing' chooses the routes of training iterations, traces and traffic; between peers "
           "bytes take the first of the shortest routes");
  if (e.network.flow.tolerance > 0 && !e.traffic)
    e.fail("network",
           "'tolerance' is for the flows of a traffic experiment ('traffic:' in place of model, "
           "parallel and schedule); elsewhere links are shared exactly");
  if (e.network.kind == NetworkKind::packet && has_peers)
    e.fail("network",
           "'packet' carries training iterations, traces and the flows of a traffic experiment; "
           "peers need 'flow' or 'alpha-beta'");
  if (e.network.kind == NetworkKind::packet && e.traffic &&
      e.network.flow.spreading.how != Spreading::How::first)
    e.fail(
        "network",
        "'routing' of packets is for training iterations and traces; 'spray' chooses the routes of "
        "the flows of a traffic experiment");
}

}  // namespace pipewright
