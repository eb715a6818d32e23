#include "experiment/document_lengths.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string>

#include "config/small_file.hpp"
#include "experiment/options.hpp"

namespace pipewright {

namespace {

/// The most tokens of a document.
constexpr int64_t longest_document = INT64_C(1) << 40;

std::vector<int64_t> read_file_of_lengths(const config::Value& path) {
  std::istringstream text(config::read_small_file(config::as_text(path), path.mark.where()));
  std::vector<int64_t> lengths;
  std::string word;
  while (text >> word) {
    char* end = nullptr;
    const long long length = std::strtoll(word.c_str(), &end, 10);
    if (*end != '\0' || length < 1 || length > longest_document)
      path.fail(fmt::format("'{}' in '{}' must be a number of tokens above 0", word,
                            config::as_text(path)));
    lengths.push_back(length);
  }
  if (lengths.empty()) path.fail(fmt::format("'{}' has no lengths", config::as_text(path)));
  return lengths;
}

}  // namespace

DocumentLengths read_lengths(const config::Value& value) {
  const config::Fields fields(value, "batch.lengths", keys::batch_lengths);
  DocumentLengths lengths;
  if (const config::Value* file = fields.find("file")) {
    for (const char* key : {"mean", "spread"})
      if (const config::Value* other = fields.find(key))
        other->fail(fmt::format("'{}' means nothing beside 'file'", key));
    lengths.given = read_file_of_lengths(*file);
  } else {
    fields.at("mean");
    lengths.mean = fields.real("mean", 1, 1, 1e12);
    lengths.spread = fields.real("spread", 0, 0, 10);
  }
  if (const config::Value* packing = fields.find("packing"))
    lengths.packed = config::as_choice(*packing, choices::batch_lengths_packing) == 0;
  return lengths;
}

}  // namespace pipewright
