// Settings of a torchtitan job as a test writes them.
#pragma once

#include <string>

#include "convert/job/settings.hpp"
#include "convert/job/toml.hpp"

namespace pipewright::test {

/// Settings with what they are read from and noted in.
struct JobSettings {
  job::Source source;
  job::Import import;
  job::Settings settings;

  explicit JobSettings(const std::string& text, std::map<std::string, std::string> given = {})
      : source{.text = {},
               .file = "job.toml",
               .given = std::move(given),
               .partial = false,
               .read = {}},
        settings(job::read_toml(text, "job.toml"), source, import) {}
};

}  // namespace pipewright::test
