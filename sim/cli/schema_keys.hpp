// What the schemas of clusters and models say of their keys, which no table of options has.
#pragma once

#include <string>

namespace pipewright::cli {

/// Returns the text on the key at a path such as "cluster.node.price_per_hour"; empty where the
/// path is of neither a cluster nor a model, or no such key is.
std::string in_schemas(const std::string& path);

/// Returns the text on all keys of clusters and models whose path ends in `name`, each with where
/// it stands, and the keys of the part that is called so ("torus"); empty where there is neither.
std::string named_in_schemas(const std::string& name);

/// Returns all keys of clusters and models as tables of Markdown, one for each of their parts.
std::string schema_keys_markdown();

}  // namespace pipewright::cli
