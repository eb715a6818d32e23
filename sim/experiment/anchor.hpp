// `anchor`: what `pipewright fit` wrote.
#pragma once

#include "config/value.hpp"
#include "result/anchor.hpp"

namespace pipewright {

/// Reads an anchor that is written out. Throws InputError.
Anchor read_anchor(const config::Value& value);

/// Returns the map that read_anchor() reads.
config::Value anchor_document(const Anchor& anchor);
/// The same, with the runs for people.
config::Value anchor_document(const AnchorFit& fit);

}  // namespace pipewright
