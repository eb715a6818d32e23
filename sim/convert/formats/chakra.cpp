// MLCommons Chakra execution traces, one file a rank. What they say, see interop/chakra.hpp.
#include "interop/chakra.hpp"

#include <algorithm>
#include <filesystem>

#include "convert/export_trace.hpp"
#include "convert/formats/registry.hpp"
#include "convert/formats/size_prices.hpp"
#include "convert/trace_import.hpp"
#include "report/io/atomic_file.hpp"
#include "trace/trace.hpp"

namespace pipewright::convert {
namespace {

/// Returns 0 for the time of an operation that has one only once the cluster is known.
int64_t any_time(double, double) { return 0; }

std::string import_chakra(const ImportRequest& request) {
  return experiment_of_trace(chakra::read(request.file, {}, any_time), "chakra", request.file,
                             request.out);
}

void export_as_chakra(const ExportRequest& request) {
  // A set that is not whole is none: what was written of it goes where the rest cannot be.
  std::vector<std::string> written;
  try {
    export_chakra(request.experiment, request.catalogue, request.options,
                  [&](uint32_t rank, const std::string& contents) {
                    const std::string file = chakra::file_name(request.out, rank);
                    write_file(file, contents);
                    written.push_back(file);
                  });
  } catch (...) {
    std::error_code ignored;
    for (const std::string& file : written) std::filesystem::remove(file, ignored);
    throw;
  }
}

/// One of the files, or their prefix.
bool recognises_chakra(std::string_view, const std::string& file) {
  std::error_code ignored;
  return file.ends_with(".et") || std::filesystem::exists(chakra::file_name(file, 0), ignored);
}

/// The first two bytes are the length of rank 0's file; the rest is rank 1's.
std::vector<std::string> two_files(std::string_view bytes) {
  const auto byte = [&](size_t i) -> size_t { return static_cast<unsigned char>(bytes[i]); };
  const std::string rest(bytes.substr(2));
  const size_t first = std::min(byte(0) | byte(1) << 8, rest.size());
  return {rest.substr(0, first), rest.substr(first)};
}

/// What can be read runs or deadlocks.
void fuzz_chakra(std::string_view bytes) {
  if (bytes.size() < 2) return;
  run_trace(chakra::parse(two_files(bytes), "fuzz"), size_prices());
}

}  // namespace

const Format format::chakra{
    .name = "chakra",
    .summary = "MLCommons Chakra execution traces (FILE.0.et, FILE.1.et, ...)",
    .reading =
        {.makes = "checks them and writes an experiment that runs them",
         .help =
             R"(FILE is what the names of the ranks' files begin with. The experiment has as many devices as there
are files and a link to be replaced by yours.
)",
         .run = import_chakra},
    .writing =
        {.holds = "the program, for ASTRA-sim; 'trace: {chakra: OUT}' runs it too",
         .help =
             R"(OUT is a prefix: one file a rank, OUT.0.et, OUT.1.et, ... They say what 'export goal' says; collectives
stay whole (COMM_COLL_NODE, with a METADATA_NODE that describes its process groups as PyTorch does).
A calculation has duration_micros, in whole microseconds as the schema has it, the attribute
duration_ns, which is what counts here, and its num_ops and tensor_size. Run again it takes the same
time but for the rounding to nanoseconds.
Refused is what 'export goal' refuses. Not written: memory, and which links messages take.
)",
         .run = export_as_chakra,
         .has_prefix = true,
         .example = R"(
model: {synthetic: {devices: 2, microbatches: 4, forward: 840 us, backward: 1680 us, boundary: 100 kB}}
cluster: {devices: 2, link: {latency: 5 us, bandwidth: 25 GB/s}}
network: alpha-beta
schedule: gpipe
)"},
    .recognises = recognises_chakra,
    .fuzz = fuzz_chakra};

}  // namespace pipewright::convert
