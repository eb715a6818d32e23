// LogGOPSim's GOAL text. What it says, see interop/goal.hpp.
#include "interop/goal.hpp"

#include "convert/export_trace.hpp"
#include "convert/formats/registry.hpp"
#include "convert/formats/size_prices.hpp"
#include "convert/trace_import.hpp"
#include "engine/engine.hpp"
#include "report/io/atomic_file.hpp"
#include "trace/trace.hpp"

namespace pipewright::convert {
namespace {

std::string import_goal(const ImportRequest& request) {
  return experiment_of_trace(goal::read_file(request.file), "goal", request.file, request.out);
}

void export_as_goal(const ExportRequest& request) {
  write_file(request.out, [&](std::ostream& stream) {
    export_goal(request.experiment, request.catalogue, request.options, stream);
  });
}

bool recognises_goal(std::string_view head, const std::string& file) {
  return file.ends_with(".goal") || head.starts_with("num_ranks") ||
         head.find("\nnum_ranks ") != std::string_view::npos;
}

/// What can be read runs or deadlocks; the program as it ran runs again, without choices, in the
/// same times.
void fuzz_goal(std::string_view bytes) {
  const TraceRun trace = run_trace(goal::parse(bytes, "fuzz.goal"), size_prices());
  const Timeline again = run_longest_path(trace.program, trace.durations);
  for (size_t op = 0; op < again.spans.size(); ++op)
    ensure(again.spans[op].start == trace.timeline.spans[op].start, "an op starts at another time");
}

}  // namespace

const Format format::goal{
    .name = "goal",
    .summary = "LogGOPSim's GOAL text",
    .reading =
        {.makes = "checks it and writes an experiment that runs it",
         .help =
             R"(The experiment has as many devices as the trace has ranks and a link to be replaced by yours.
)",
         .run = import_goal},
    .writing =
        {.holds = "the program, with its times; 'trace: {goal: OUT}' runs it too",
         .help =
             R"(Rank r is device r, every replica is written. A pass or optimizer step is a calc in whole
nanoseconds on cpu 0 that requires the one before it; a message is a send and a recv on cpu 1 with a
tag of its own. Collectives are written out message by message: all_reduce, all_gather and
reduce_scatter around a ring, broadcast and reduce along a chain, all_to_all between all pairs. Run
again under alpha-beta, a job without collectives whose times are whole nanoseconds takes exactly the
same time; a collective then starts member by member and takes what its messages take from device to
device, not what NCCL was measured to take over all rails of a node at once.
What cannot be said in a trace is refused: sends that hold a device or a buffer (overlap.p2p other than
async), schedules that send while they compute (fbp-as, 1f1b-as) or wait for it (1f1b-sno), stages
that reshard, 'offload' and 'batch.lengths'. Not written: memory, and which links messages take.
)",
         .run = export_as_goal,
         .example = R"(
model: {synthetic: {devices: 4, microbatches: 8, forward: 840 us, backward: 1680 us, boundary: 100 kB}}
cluster: {devices: 4, link: {latency: 5 us, bandwidth: 25 GB/s}}
network: alpha-beta
schedule: 1f1b
)"},
    .recognises = recognises_goal,
    .fuzz = fuzz_goal};

}  // namespace pipewright::convert
