// What an exchange between all members puts on the links.
//
// Of n members there are n (n - 1) pairs, but few kinds of them: a node sends to another as any
// node that is wired alike does (wired_alike.hpp). So the routes between one node of each kind and
// one of each other stand for all. A link outside carries what the nodes of both kinds exchange
// over it; a link of a node its own part of that.
//
//   bytes are those of the receiver: v(B, j) for member j of node B, V(b, j) their sum over the
//   nodes of kind b, which are |b|. For every route from member i of kind a to member j of kind b:
//     links outside        V(b, j) |a|            or V(b, j) (|a| - 1) within one kind
//     links of the sender  V(b, j)                or V(b, j) - v(A, j), on its node A
//     of the receiver      v(B, j) |a|            or v(B, j) (|a| - 1), on its node B
#pragma once

#include "network/collectives/link_loads.hpp"

namespace pipewright::collective {

struct Members;
struct Exchange;

/// Adds what each of `exchanges` puts on links, as the size of its number. All are along rails, or
/// none is.
void add_exchanges(const Topology& topology, const Members& members,
                   std::span<const Exchange> exchanges, LinkLoads& loads);

}  // namespace pipewright::collective
