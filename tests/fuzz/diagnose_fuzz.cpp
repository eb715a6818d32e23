// Any bytes are a trace that is diagnosed, of whichever profiler, or an InputError.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "diagnose/trace_files.hpp"
#include "report/json/diagnosis.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  static const std::string file =
      (std::filesystem::temp_directory_path() / ("diagnose-fuzz-" + std::to_string(getpid())))
          .string();
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    ensure(!json_text(diagnose::diagnose_files({file})).empty(), "nothing is said");
  } catch (const InputError&) {  // the one way in which input may fail
  }
  std::filesystem::remove(file);
  return 0;
}
