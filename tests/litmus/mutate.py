#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks each rule of the location-order engine in turn and tells which tests notice first.

    tests/litmus/mutate.py [NAME...]    by hand, from the root of a clean checkout
    tests/litmus/mutate.py --check      whether every mutation still applies, without building any

Works on a copy in a temporary folder. Exit status 1 where a mutant survives that is not listed as
equivalent, or where a mutation no longer applies. Knows the engine's text, not its meaning.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

TESTS = [
    ("litmus", "^litmus\\."),
    ("unit", "^unit\\.(order|clock)$"),
    ("oracle", "^oracle\\.compare"),
]

# (name, file, text, replacement): the text stands in the file exactly once, however it is broken
# into lines.
MUTANTS = [
    # Scope, and atomic operations
    ("scope-one-sided", "order_scope.c",
     "return vkr_order_within(order, scope, agent, other) &&\n\t       vkr_order_within(order, other_scope, other, agent);",
     "(void)other_scope;\n\treturn vkr_order_within(order, scope, agent, other);"),
    ("scope-host-in-device", "order_scope.c", "if (one->is.host || two->is.host)\n\t\treturn false;",
     "if (one->is.host && two->is.host)\n\t\treturn false;"),
    ("scope-workgroup-is-queue-family", "order_scope.c",
     "return one->is.workgroup + (agent - one->first) / one->is.workgroup_size ==\n\t\t       two->is.workgroup + (other - two->first) / two->is.workgroup_size;",
     "return one->is.queue_family == two->is.queue_family;"),
    ("scope-queue-family-is-device", "order_scope.c",
     "return one->is.queue_family == two->is.queue_family;", "return one->is.device == two->is.device;"),
    ("scope-all-devices", "order_scope.c", "return one->is.device == two->is.device;", "return true;"),
    ("mutual-offset", "order_scope.c", "first->offset != second->offset || ", ""),
    ("mutual-size", "order_scope.c", "first->size != second->size ||", ""),
    ("mutual-reference", "order_scope.c", "first->reference != second->reference)", "false)"),
    ("mutual-scope", "order_scope.c",
     "if (!vkr_order_in_scope(order, first->agent, first->scope, second->agent, second->scope))",
     "if (false)"),
    ("mutual-plain", "order_scope.c", "if (!first->atomic || !second->atomic || ",
     "if ((!first->atomic && !second->atomic) || "),
    # Release sequences
    ("sequence-ignores-stores", "order_sequence.c",
     "if (vkr_order_mutual(order, &head->access, &store->access))\n\t\t\treturn false;", ""),
    ("sequence-all-stores-end", "order_sequence.c",
     "if (vkr_order_mutual(order, &head->access, &store->access))\n\t\t\treturn false;", "return false;"),
    ("sequence-outside-modification-order", "order_sequence.c",
     "if (!vkr_order_mutual(order, &head->access, &from->access))\n\t\treturn false;", ""),
    ("sequence-head-not-mutual", "order_sequence.c",
     "if (write != read && vkr_order_mutual(order, &write->access, &read->access) && order_sequence_heads(",
     "if (write != read && order_sequence_heads("),
    ("sequence-only-head", "order_sequence.c", "if (head == from)\n\t\treturn true;",
     "return head == from;"),
    ("sequence-handed-to-any-read", "order_sequence.c",
     "is_in_order(order, site, read->access.agent, read->access.scope) &&",
     ""),
    ("sequence-handed-to-any-acquire", "order_sequence.c",
     "&& is_in_order(order, site, acquire->access.agent, acquire->event.scope);",
     ";"),
    ("sequence-handed-any-class", "order_sequence.c", "if (fence->event.semantics & node->access.storage_class)",
     "if (true)"),
    ("sequence-handed-any-semantics", "order_sequence.c",
     "own = vkr_vector_clock_join(memory, own, fence->before, vkr_sets_within(fence->event.semantics));",
     "own = vkr_vector_clock_join(memory, own, fence->before, VKR_SETS_THREAD);"),
    ("sequence-not-handed-on", "order_sequence.c",
     "if (node->access.read) own = vkr_vector_clock_join(memory, own, vkr_order_handed_to(order, node), VKR_SETS_THREAD);",
     ""),
    ("sequence-handed-by-stale-rmw", "order_sequence.c", "node->site->uniform = false;", ";"),
    ("sequence-uniform-host", "order_sequence.c", "site->uniform = site->uniform && !node->host;", ""),
    ("sequence-no-hypothetical", "order_sequence.c", "const bool heads = node->releases || fences;",
     "const bool heads = node->releases;"),
    # Synchronizes-with
    ("sync-relaxed-atomic-releases", "order_sync.c", "if (write->releases &&", "if ("),
    ("sync-atomic-to-fence-scope", "order_sync.c", "(!fence || in_scope(search, write)) &&", ""),
    ("sync-to-fence-class", "order_sync.c", "if (order_sync_constrains(acquire, node) && !meet_read(search, node))",
     "if (!meet_read(search, node))"),
    ("sync-fence-release-scope", "order_sync.c", "if (!in_scope(search, release) || !order_sync_constrains(release, write))",
     "if (!order_sync_constrains(release, write))"),
    ("sync-fence-release-class", "order_sync.c", "if (!in_scope(search, release) || !order_sync_constrains(release, write))",
     "if (!in_scope(search, release))"),
    ("sync-host-fence-class", "order_sync.c", "return fence->host || ", "return "),
    ("sync-barrier-execution", "order_sync.c",
     "if (!vkr_order_in_scope(order, other->access.agent, other->event.execution,",
     "if (false && !vkr_order_in_scope(order, other->access.agent, other->event.execution,"),
    ("sync-barrier-memory-scope", "order_sync.c",
     "if (in_scope(search, vkr_order_node_at(order, recent->event)) &&\n", "if (\n"),
    ("sync-barrier-needs-own-fence", "order_sync.c",
     ": vkr_order_node_at(order, acquire->older_barrier);", ": NULL;"),
    ("sync-no-fence-floor-scope", "order_sync.c",
     "if (fence->event.scope == acquire->event.scope &&\n\t\t    fence->event.semantics == acquire->event.semantics)",
     "if (fence->event.semantics == acquire->event.semantics)"),
    ("sync-no-fence-floor-semantics", "order_sync.c",
     "if (fence->event.scope == acquire->event.scope &&\n\t\t    fence->event.semantics == acquire->event.semantics)",
     "if (fence->event.scope == acquire->event.scope)"),
    ("sync-outside-scope", "order_sync.c", "if (release && release->releases && in_scope(search, release) &&",
     "if (release && release->releases &&"),
    ("recent-fence-key", "order.c",
     "unsigned key = ((unsigned)node->event.scope * 16 + node->event.semantics) * 4 +\n\t\t       node->event.spaces;",
     "unsigned key = (unsigned)node->event.scope * 16;"),
    ("load-releases", "order.c", "(fence || (atomic && event->access.write))", "(fence || atomic)"),
    ("store-acquires", "order.c", "(fence || (atomic && event->access.read))", "(fence || atomic)"),
    # Inter-thread-happens-before, happens-before
    ("order-release-semantics", "order_happens.c",
     "vkr_sets_within(release->event.semantics &\n\t\t                                     acquire->event.semantics));",
     "vkr_sets_within(release->event.semantics));"),
    ("order-host-and-device", "order_happens.c", "if (release->host != acquire->host) return vector;", ""),
    ("order-host-sequenced", "order_happens.c",
     "return vkr_vector_clock_add(memory, vector, agent, VKR_CLOCK_ALL, position, VKR_SETS_THREAD);",
     "return vector;"),
    ("order-host-gathered", "order_happens.c",
     "vector = vkr_vector_clock_join(memory, vector, state.gathered, VKR_SETS_THREAD);",
     ""),
    ("order-host-covered", "order_happens.c", "if (node->host)\n\t\treturn VKR_SETS_THREAD;", ""),
    ("order-acquire-orders-all", "order_happens.c",
     "node->before = vkr_vector_clock_join(memory, node->before, state->acquired, covered_sets(node));",
     "node->before = vkr_vector_clock_join(memory, node->before, state->acquired, VKR_SETS_THREAD);"),
    ("order-acquire-orders-nothing-fed", "order_happens.c",
     "node->before = vkr_vector_clock_join(memory, node->before, state->acquired, covered_sets(node));", ""),
    ("order-release-gathers-nothing", "order_happens.c",
     "node->before = vkr_vector_clock_join(memory, node->before, state->gathered, sets);", ""),
    ("order-release-orders-nothing-before", "order_happens.c",
     "node->before = vkr_vector_clock_add(memory, node->before, agent, VKR_CLOCK_QUALIFIED, position,\n\t\t                            sets);",
     "(void)agent, (void)position;"),
    ("order-gathers-uncovered", "order_happens.c",
     "after->gathered = vkr_vector_clock_join(memory, after->gathered, node->system, covered_sets(node));",
     "after->gathered = vkr_vector_clock_join(memory, after->gathered, node->system, VKR_SETS_THREAD);"),
    ("order-acquire-itself", "order_happens.c",
     "after->acquired = vkr_vector_clock_add(memory, after->acquired, node->access.agent,\n\t\t                               VKR_CLOCK_ACQUIRED, node->access.position, sets);",
     ""),
    ("order-program-order-chains", "order_happens.c",
     "after->acquired = vkr_vector_clock_join(memory, after->acquired, node->before, sets);",
     "after->acquired = vkr_vector_clock_join(memory, after->acquired, node->before, VKR_SETS_THREAD);"),
    ("order-host-acquires-system", "order_happens.c",
     "vkr_vector_clock_join(memory, after->acquired, node->synced, VKR_SETS_THREAD);",
     "vkr_vector_clock_join(memory, after->acquired, node->before, VKR_SETS_THREAD);"),
    ("order-system-is-transitive-only", "order_happens.c",
     "node->system = vkr_vector_clock_join(memory, node->system, from->before, VKR_SETS_ALL);", ""),
    ("order-system-itself", "order_happens.c",
     "node->system = vkr_vector_clock_add(memory, node->system, from->access.agent, VKR_CLOCK_SINGLE,\n\t\t                            from->access.position, VKR_SETS_ALL);",
     ""),
    ("order-system-includes-threads", "order_happens.c",
     "node->before = vkr_vector_clock_join(memory, node->before, node->synced, VKR_SETS_THREAD);",
     "node->before = vkr_vector_clock_join(memory, node->before, node->synced, VKR_SETS_THREAD);\n\tif (node->synced) node->before = vkr_vector_clock_add(memory, node->before, vkr_order_node_at(order, node->sources[0])->access.agent, VKR_CLOCK_ALL, vkr_order_node_at(order, node->sources[0])->access.position, 1);"),
    ("order-no-base", "order_happens.c",
     "node->before = vkr_vector_clock_join(memory, node->before, state->base, VKR_SETS_ALL);", ""),
    ("order-total-empty", "order_happens.c",
     "after->total = vkr_vector_clock_join(memory, after->total, node->before, VKR_SETS_ALL);", ""),
    ("order-unqualified-source", "order_happens.c", "if (point->qualified >> set & 1) {", "{"),
    ("order-unqualified-acquire", "order_happens.c", "if (point->acquired >> set & 1) {", "{"),
    ("order-plain-target-all-classes", "order_happens.c",
     "return view_holds(state.acquired, &point, sets & covered);",
     "(void)covered;\n\treturn view_holds(state.acquired, &point, sets);"),
    ("order-singles-only-sets", "order_clock.c", "set = (set - 1) & semantics)",
     "set = (set - 1) & semantics) if ((set & (set - 1)) == 0)"),
    ("order-pairs-only", "order_clock.c", "set = (set - 1) & semantics)",
     "set = (set - 1) & semantics) if (__builtin_popcount(set) <= 2)"),
    ("order-program-order", "order_happens.c",
     "if (first->agent == second->agent && first->step < second->step)\n\t\treturn true;", ""),
    # Availability and visibility
    ("avail-scope", "order_avail.c", "for (unsigned at = scope + 1; at <= (unsigned)limit; at++)",
     "for (unsigned at = scope + 1; at <= VKR_ORDER_DEVICE; at++)"),
    ("avail-smaller-domains", "order_avail.c", "for (unsigned at = scope + 1; at <= (unsigned)limit; at++)",
     "for (unsigned at = (unsigned)limit; at > scope && at == (unsigned)limit; at++)"),
    ("avail-crossdevice", "order_avail.c",
     ".storage_class = access->storage_class, // CrossDevice names no domain of its own; the widest that shaders have "
     "is the // shader domain. .limit = scope > VKR_ORDER_DEVICE ? VKR_ORDER_DEVICE : scope,",
     ".storage_class = access->storage_class, .limit = scope > VKR_ORDER_DEVICE ? VKR_ORDER_INVOCATION : scope,"),
    ("avail-crossdevice-operand", "order_avail.c",
     ".is = {.available = available, .limit = scope > VKR_ORDER_DEVICE ? VKR_ORDER_DEVICE : scope,",
     ".is = {.available = available, .limit = scope > VKR_ORDER_DEVICE ? VKR_ORDER_INVOCATION : scope,"),
    ("avail-semantics-class", "order_avail.c", "return (is->semantics & access->storage_class) != 0;", "return true;"),
    ("avail-reference", "order_avail.c", "return is->reference == access->reference && is->memory",
     "return is->memory"),
    ("avail-bytes-above", "order_avail.c", "search->offset - is->offset < is->size;", "true;"),
    ("avail-semantics-own-access", "order_avail.c",
     "(chain->available ? step > access : step < access)",
     "(chain->available ? step >= access : step < access)"),
    ("avail-instruction-not-own", "order_avail.c", "(!chain->semantics && step == access);",
     "false;"),
    ("avail-instruction-anywhere", "order_avail.c", "chain->reached[scope] = order_avail_nearest(search, chain);",
     "chain->reached[scope] = 0;"),
    ("visible-semantics-own-access", "order_avail.c",
     "(chain->available ? step > access : step < access)",
     "(chain->available ? step > access : step <= access)"),
    ("avail-without-release", "order_avail.c", "node->event.make_available && node->releases &&",
     "node->event.make_available &&"),
    ("visible-without-acquire", "order_avail.c", "!node->event.make_visible || !node->acquires ||",
     "!node->event.make_visible ||"),
    ("avail-on-host", "order_avail.c", "if (vkr_order_host(order, access->agent))\n\t\treturn true;", ""),
    ("chains-always", "order_avail.c", "if (lacks == VKR_RUNG_TOP || !order->options.chains)",
     "if (lacks == VKR_RUNG_TOP)"),
    ("chains-never", "order_avail.c", "if (lacks == VKR_RUNG_TOP || !order->options.chains)", "if (true)"),
    ("chain-any-instance", "order_avail.c",
     "if (!vkr_order_within(search->order, (enum vkr_order_scope)domain, from->agent, to->agent)) return;",
     ""),
    ("chain-element-coverage", "order_avail.c",
     "if (!operation_covers(search, &stream->is, stream->is.available ? search->first : search->second)) return;",
     ""),
    ("chain-element-order", "order_avail.c",
     "if (high == 0 || !in_order(search, inner, operation_at(to, high - 1), from->available))",
     "if (high == 0)"),
    ("chain-not-broader", "order_avail.c", "unsigned domains = domains_beyond(search, to->agent, to->limit, domain);",
     "unsigned domains = domains_beyond(search, to->agent, to->limit, 0);"),
    ("chain-visible-reversed", "order_avail.c",
     "return available ? vkr_order_happens_before(search->order, inner, outer) : vkr_order_happens_before(search->order, outer, inner);",
     "(void)available;\n\treturn vkr_order_happens_before(search->order, inner, outer);"),
    ("path-common-domain", "order_avail.c",
     "if (vkr_order_within(order, (enum vkr_order_scope)scope, first->agent, second->agent))\n", ""),
    ("path-write-unordered", "order_avail.c", "if (vkr_order_happens_before(search->order, from, search->second)) {",
     "if (true) {"),
    ("path-read-like-write", "order_avail.c", "if (search->second->write) return VKR_RUNG_TOP;",
     "return VKR_RUNG_TOP;"),
    ("path-visible-unordered", "order_avail.c",
     "if (chain->reached[domain] < chain->count && in_order(search, from, operation_at(chain, chain->reached[domain]), true))",
     "if (chain->reached[domain] < chain->count)"),
    # Device and host domains
    ("device-range", "order_device.c", "return event->all_memory;", "return true;"),
    ("device-range-reference", "order_device.c",
     "(range->reference == 0 || range->reference == access->reference) &&", ""),
    ("device-range-end", "order_device.c", "offset - range->offset < range->size)", "true)"),
    ("device-kinds", "order_device.c",
     "if (event->kinds && access->kinds && !(event->kinds & access->kinds))\n\t\treturn false;", ""),
    ("device-write-needs-visible", "order_device.c", "if ((second->write || (path->second_host && second->coherent)) &&",
     "if ((path->second_host && second->coherent) &&"),
    ("device-read-needs-no-visible", "order_device.c", "if ((second->write || (path->second_host && second->coherent)) &&",
     "if ("),
    ("device-visible-any-domain", "order_device.c", "node->event.host_domain != path->second_host || ", ""),
    ("device-visible-unordered-before", "order_device.c",
     "if (vkr_order_happens_before(order, from, &node->access) &&\n\t\t    vkr_order_happens_before(order, &node->access, second))",
     "if (vkr_order_happens_before(order, &node->access, second))"),
    ("device-visible-unordered-after", "order_device.c",
     "if (vkr_order_happens_before(order, from, &node->access) &&\n\t\t    vkr_order_happens_before(order, &node->access, second))",
     "if (vkr_order_happens_before(order, from, &node->access))"),
    ("device-no-domain-step", "order_device.c", "if (path->first_host == path->second_host) {", "if (true) {"),
    ("device-domain-direction", "order_device.c",
     "path->first_host ? VKR_ORDER_HOST_DEVICE : VKR_ORDER_DEVICE_HOST",
     "path->first_host ? VKR_ORDER_DEVICE_HOST : VKR_ORDER_HOST_DEVICE"),
    ("device-domain-unordered", "order_device.c",
     "if (!vkr_order_happens_before(order, from, step))\n\t\t\tcontinue;", ""),
    ("device-available-unordered", "order_device.c",
     "!vkr_order_happens_before(order, first, &node->access))", "false)"),
    ("device-available-any-domain", "order_device.c", "node->event.host_domain != path.first_host || ", ""),
    ("device-coherent-ignored", "order_device.c", "if (path.first_host && first->coherent)", "if (false)"),
    # Location-ordered, data race
    ("located-same-agent-any-reference", "order_location.c",
     "if (first->agent == second->agent && first->reference == second->reference &&",
     "if (first->agent == second->agent &&"),
    ("located-read-private-first", "order_location.c",
     "if (first->read && first->nonprivate && second->nonprivate &&",
     "if (first->read && second->nonprivate &&"),
    ("located-read-private-second", "order_location.c",
     "if (first->read && first->nonprivate && second->nonprivate &&",
     "if (first->read && first->nonprivate &&"),
    ("located-rmw-is-no-read", "order_location.c",
     "if (first->read && first->nonprivate && second->nonprivate &&",
     "if (first->read && !first->write && first->nonprivate && second->nonprivate &&"),
    ("located-no-system-read", "order_location.c",
     "if (first->read && vkr_order_system_before(order, first, second))\n\t\treturn true;", ""),
    ("located-write-reference", "order_location.c", "if (first->reference == second->reference && first->nonprivate && second->nonprivate)",
     "if (first->nonprivate && second->nonprivate)"),
    ("located-write-private", "order_location.c", "if (first->reference == second->reference && first->nonprivate && second->nonprivate)",
     "if (first->reference == second->reference)"),
    ("race-reads", "order_location.c", "(!first->write && !second->write) ||", ""),
    ("race-one-direction", "order_location.c",
     "} else if (is_location_ordered(order, second, first, offset, &backward_lacks, &backward)) {\n\t\trun.relation = VKR_ORDER_SECOND;\n",
     "} else if (is_location_ordered(order, second, first, offset, &backward_lacks, &backward) && false) {\n\t\trun.relation = VKR_ORDER_SECOND;\n"),
    ("race-mutual", "order_location.c", " ||\n\t    vkr_order_mutual(order, first, second))", ")"),
    ("race-whole-overlap", "order_location.c", "uint64_t end = vkr_order_next_cut(order, first->memory, offset, high);",
     "uint64_t end = high;"),
    # The appendix of 2018
    ("old-chains", "order.c", "order->options.chains = false;", ";"),
    ("old-sequence", "order_sync.c", "if (!heads_for_fences(search, write)) return true;", ""),
    # HRF: scopes and observability
    ("hrf-scope-first", "order_hrf_scope.c",
     "return hrf_scope_share(order, one, agent, other) && hrf_scope_share(order, two, agent, other);",
     "return hrf_scope_share(order, two, agent, other);"),
    ("hrf-scope-second", "order_hrf_scope.c",
     "return hrf_scope_share(order, one, agent, other) && hrf_scope_share(order, two, agent, other);",
     "return hrf_scope_share(order, one, agent, other);"),
    ("hrf-equal-static", "order_hrf_scope.c", "if (one != two || one == VKR_HRF_WORK_ITEM)",
     "if (one == VKR_HRF_WORK_ITEM)"),
    ("hrf-equal-group", "order_hrf_scope.c", "return hrf_scope_share(order, one, agent, other); }", "return true; }"),
    ("hrf-equal-system", "order_hrf_scope.c", "return shared || hrf_scope_share(order, VKR_HRF_DEVICE, agent, other);",
     "return true;"),
    ("hrf-equal-shared", "order_hrf_scope.c", "return shared || hrf_scope_share(order, VKR_HRF_DEVICE, agent, other);",
     "return hrf_scope_share(order, VKR_HRF_DEVICE, agent, other);"),
    ("hrf-hosts-apart", "order_hrf_scope.c", "instance.number = is->host ? HOST_DEVICE : is->device;",
     "instance.number = is->host ? ALONE | agent : is->device;"),
    ("hrf-observe-local", "order_hrf_scope.c", "first->local ? VKR_HRF_WORKGROUP : first->coarse ? VKR_HRF_DEVICE",
     "first->coarse ? VKR_HRF_DEVICE"),
    ("hrf-observe-coarse", "order_hrf_scope.c", ": first->coarse ? VKR_HRF_DEVICE : VKR_HRF_SYSTEM;",
     ": VKR_HRF_SYSTEM;"),
    # HRF: synchronization
    ("hrf-coherent-order", "order_hrf_sync.c", "x->event.modification <= y->event.seen)", "true)"),
    ("hrf-space-of-fence", "order_hrf_sync.c", "if ((fence->event.spaces & space) && order_hrf_sync_inclusive(",
     "if (order_hrf_sync_inclusive("),
    ("hrf-space-of-acquire", "order_hrf_sync.c", "(acquire->event.spaces & vkr_hrf_space_of(&y->access)) &&", ""),
    ("hrf-fence-inclusive", "order_hrf_sync.c", "if ((fence->event.spaces & space) && order_hrf_sync_inclusive(search, fence, &x->access) &&",
     "if ((fence->event.spaces & space) &&"),
    ("hrf-atomic-inclusive", "order_hrf_sync.c", "order_hrf_sync_inclusive(search, x, a) && !add_source", "!add_source"),
    ("hrf-relaxed-releases", "order_hrf_sync.c", "if (x->releases && search->order->options.rules.readings.fence_pair",
     "if (search->order->options.rules.readings.fence_pair"),
    ("hrf-floor-spaces", "order_hrf_sync.c", "fence->event.spaces == acquire->event.spaces)", "true)"),
    ("hrf-floor-scope", "order_hrf_sync.c", "if (fence->event.scope == acquire->event.scope &&", "if ("),
    ("hrf-barrier-inclusive", "order_hrf_sync.c", "spaces && members && order_hrf_sync_inclusive(search, other, NULL) &&",
     "spaces && members &&"),
    ("hrf-barrier-members", "order_hrf_sync.c", "spaces && members && order_hrf_sync_inclusive(search, other, NULL) &&",
     "spaces && order_hrf_sync_inclusive(search, other, NULL) &&"),
    ("hrf-barrier-spaces", "order_hrf_sync.c",
     "const unsigned spaces = other->event.spaces & acquire->event.spaces; const bool members",
     "const unsigned spaces = other->event.spaces; const bool members"),
    # HRF: happens-before
    ("hrf-spaces-merge", "order_hrf_past.c", "(source == target && edge->spaces >> source & 1)", "true"),
    ("hrf-no-bridge", "order_hrf_past.c", ".joins = fences && release->spaces == ALL_SPACES &&",
     ".joins = false && release->spaces == ALL_SPACES &&"),
    ("hrf-bridge-one", "order_hrf_past.c", "release->spaces == ALL_SPACES && acquire->spaces == ALL_SPACES};",
     "acquire->spaces == ALL_SPACES};"),
    ("hrf-barrier-one-half", "order_hrf_past.c", "if (of->event.kind != VKR_ORDER_BARRIER) node->given = node->after;",
     "node->given = node->after;"),
    ("hrf-coarse-observes-nothing", "order_hrf_past.c", "if (edge->coarse) vector = hrf_past_pass(order, vector);", ""),
    ("hrf-direct-transitive", "order_hrf_past.c", "if (order->options.rules.model != VKR_MEMORY_HRF_DIRECT)",
     "if (true)"),
    ("hrf-direct-wider", "order_hrf_past.c", "one < two ? one : two);", "one < two ? two : one);"),
    ("hrf-join-one", "order_hrf_past.c", "const bool merges = order->options.rules.readings.join &&",
     "const bool merges = false &&"),
    ("hrf-union-agent", "order_hrf_past.c", "if (!is_inside(order, at, within)) continue;", "continue;"),
    ("hrf-handed-any-kind", "order_hrf_past.c",
     "if (one->release != other->release) return one->release < other->release ? -1 : 1;", ""),
    ("hrf-handed-any-scope", "order_hrf_past.c",
     "if (one->scope != other->scope) return one->scope < other->scope ? -1 : 1; if (one->narrower",
     "if (one->narrower"),
    ("hrf-handed-any-narrower", "order_hrf_past.c",
     "if (one->narrower != other->narrower) return one->narrower < other->narrower ? -1 : 1;", ""),
    ("hrf-handed-any-instance", "order_hrf_past.c",
     "return one->number < other->number ? -1 : one->number > other->number; } static bool is_above",
     "return 0; } static bool is_above"),
    ("hrf-handed-any-device", "order_hrf_past.c", "? vkr_hrf_instance_of(order, agent, VKR_HRF_DEVICE).number",
     "? 0"),
    ("hrf-handed-by-itself", "order_hrf_past.c",
     "if (node->previous) node->handed = hrf_past_unite(order, node->handed, node->previous->handed);",
     ""),
    ("hrf-handed-any-space", "order_hrf_past.c", "if (fence->spaces & node->spaces)", "if (true)"),
    ("hrf-handed-relaxed", "order_hrf_past.c", "if (of->releases) hand_release", "hand_release"),
    ("hrf-handed-not-narrower", "order_hrf_past.c",
     "if (scope == (unsigned)own || node->run->site->acquired >> scope & 1)",
     "if (scope == (unsigned)own)"),
    ("hrf-handed-not-late", "order_hrf_past.c", "hand_on_from(order, site->runs.items[i], 0);", ";"),
    ("hrf-handed-not-swept", "order_hrf_past.c", "hand_on_from(order, run, run->latest + 1);", ";"),
    ("hrf-run-unsorted", "order_hrf_site.c", "if (run->latest < run->settled) sort_from(run, run->latest);",
     ""),
    ("hrf-take-pairs", "order_hrf_past.c", "(fence != from_fence && !readings->fence_pair) ||", ""),
    ("hrf-take-inclusive", "order_hrf_past.c",
     "!vkr_hrf_inclusive(order, entry->agent, entry->key.scope, acquire->access.agent, vkr_hrf_scope_of(acquire->event.scope), shared))",
     "false)"),
    ("hrf-take-allocation", "order_hrf_past.c", "!((fence || from_fence) && readings->fence_allocation);", "true;"),
    ("hrf-take-bridge", "order_hrf_past.c", "entry->key.release == VKR_HRF_RELEASE_BRIDGING &&", ""),
    ("hrf-take-later", "order_hrf_past.c", "vkr_hrf_last_of(run, read->seen)", "vkr_hrf_last_of(run, UINT64_MAX)"),
    ("hrf-take-one-device", "order_hrf_past.c", "if (key->narrower == VKR_HRF_SYSTEM) at.number = key->number;",
     ""),
    # Candidate executions
    ("candidate-program-order", "order_hrf_past.c", "(space == target || first->step > second->step)", "true"),
    ("candidate-not-adjacent", "litmus_candidate.c", "if (access->read && access->write && !is_adjacent(search, x))",
     "if (false)"),
    ("candidate-before", "litmus_candidate.c", "if (!is_consistent_with_coherent(search, &search->before, united))",
     "if (false)"),
    ("candidate-apart", "litmus_candidate.c",
     "const size_t count = united ? 1 : search->orders->execution->location_count;",
     "united = true; const size_t count = 1;"),
    ("candidate-united", "litmus_candidate.c", "const bool united = search->orders->rules->readings.coherence;",
     "const bool united = false;"),
    ("candidate-load-anywhere", "litmus_candidate.c", "place_of(search, x) < place_of(search, y))",
     "place_of(search, x) / 2 < place_of(search, y) / 2)"),
    ("candidate-no-sequence", "litmus_candidate.c", "return has_sequential_order(search) && !can_be_sequential(search)",
     "return false"),
    ("candidate-sequence-any-kind", "litmus_candidate.c", "return has_sequential_order(search) && ", "return "),
    ("candidate-sequence-coarse", "litmus_candidate.c", "system = system && wide && shared;",
     "system = system && wide;"),
    ("candidate-sequence-fine", "litmus_candidate.c", "device = device && on_device && !shared;",
     "device = device && on_device;"),
    ("candidate-sequence-scope", "litmus_candidate.c", "system = system && wide && shared;",
     "system = system && shared;"),
    ("candidate-sequence-narrow", "litmus_candidate.c", "device = device && on_device && !shared;",
     "device = device && !shared;"),
    ("candidate-sequence-relaxed", "litmus_candidate.c",
     "if (is_seq_cst(search, x) && is_seq_cst(search, y) && litmus_candidate_related(order, x, y))",
     "if (litmus_candidate_related(order, x, y))"),
    ("candidate-sequence-atomics", "litmus_candidate.c", "!(rules->readings.sequential_atomics && access->atomic))",
     "true)"),
    ("candidate-sequence-program", "litmus_candidate.c",
     "find_program_order(search, &search->scratch); litmus_candidate_demand(search, &search->scratch);",
     ""),
    ("candidate-sequence-coherent", "litmus_candidate.c",
     "add_coherent(search, memory, &search->scratch); litmus_candidate_demand(search, &search->scratch);",
     ""),
    ("candidate-sequence-before", "litmus_candidate.c",
     "litmus_candidate_copy(&search->scratch, &search->before); litmus_candidate_demand(search, &search->scratch);",
     ""),
    ("candidate-cyclic", "litmus_candidate.c", "return has_cycle(search, all) ? \"acyclicity\" : NULL;",
     "return NULL;"),
    ("candidate-reads-from", "litmus_candidate.c", "if (from != SIZE_MAX) litmus_candidate_relate(all, from, x);", ""),
    ("candidate-from-reads", "litmus_candidate.c",
     "if (is_modified_before(search, x, y) || is_from_read(search, x, y))",
     "if (is_modified_before(search, x, y))"),
    ("candidate-modification", "litmus_candidate.c",
     "if (is_modified_before(search, x, y) || is_from_read(search, x, y))",
     "if (is_from_read(search, x, y))"),
    ("candidate-from-ordered", "litmus_candidate.c",
     "is_modified_before(search, from, write) || litmus_candidate_related(&search->before, from, write);",
     "is_modified_before(search, from, write);"),
    ("candidate-from-modified", "litmus_candidate.c",
     "return from == SIZE_MAX || is_modified_before(search, from, write) ||",
     "return from == SIZE_MAX ||"),
    ("candidate-2018-visible", "litmus_candidate.c", "if (access_of(search, x)->read && is_hidden(search, x))",
     "if (false)"),
    ("candidate-2018-write-write", "litmus_candidate.c",
     "return (a->write && b->write && !is_earlier(search, one, other)) ||",
     "return"),
    ("candidate-2018-read-read", "litmus_candidate.c", "(a->read && b->read && is_earlier(search, later, from)) ||",
     ""),
    ("candidate-2018-write-read", "litmus_candidate.c", "(a->write && b->read && is_earlier(search, later, one)) ||",
     ""),
    ("candidate-2018-read-write", "litmus_candidate.c", "|| (a->read && b->write && !is_earlier(search, from, other));",
     ";"),
    # HRF: races
    ("hrf-atomics-agree", "order_hrf.c", "!in_scopes(order, first, second) ||", ""),
    ("hrf-atomics-conflict", "order_hrf.c", "return !first->atomic || !second->atomic ||", "return true ||"),
    ("hrf-overlap", "order_hrf.c", "(order->options.rules.readings.atomic_overlap && !same_bytes);", "false;"),
    ("hrf-unobserved", "order_hrf.c", "if ((forward || backward) && observed) {", "if (forward || backward) {"),
    ("hrf-one-direction", "order_hrf.c", "const bool backward = vkr_hrf_before(order, second, first, false);",
     "const bool backward = false;"),
]

# Mutants that no execution tells from the original, and why.
EQUIVALENT = {
    "avail-reference": "places are found by a hash of the reference: only where two collide is another one's met",
    "mutual-plain": "a plain access has no scope, so that no other agent is in its instance",
    "avail-semantics-own-access": "an atomic makes its own write available by itself, in the same scope",
    "visible-semantics-own-access": "an atomic makes what it reads visible by itself, in the same scope",
    "avail-on-host": "paths through the domains of shaders refuse hosts at either end, and no scope instance "
                     "of a chain holds one",
}


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


def place(source, file, text):
    """The file with that name, what is in it, the pattern of the text, and how often it stands there."""
    path = next((source / "runtime").rglob(file))
    original = path.read_text()
    pattern = re.compile(r"\s+".join(re.escape(word) for word in text.split()))
    return path, original, pattern, len(pattern.findall(original))


def judge(build, source, name, file, text, replacement):
    path, original, pattern, found = place(source, file, text)
    if found != 1:
        return f"does not apply: {found} times in {file}"
    path.write_text(pattern.sub(lambda match: replacement, original))
    try:
        made = run(["ninja", "vkrace-litmus", "test_litmus_read", "test_order", "test_clock",
                    "oracle_compare"], build)
        if made.returncode:
            return "does not build:\n" + made.stdout[-2000:]
        for label, tests in TESTS:
            ran = run(["timeout", "300", "ctest", "--stop-on-failure", "-R", tests, "-E", "mutations"], build)
            if ran.returncode:
                failed = re.search(r"- (\S+) \(", ran.stdout)
                return f"caught by {failed.group(1) if failed else label}"
        return "SURVIVES"
    finally:
        path.write_text(original)


def check():
    bad = 0
    for name, file, text, _ in MUTANTS:
        found = place(ROOT, file, text)[3]
        if found != 1:
            print(f"{name}: its text stands {found} times in {file}")
            bad += 1
    print(f"{len(MUTANTS)} mutations, {bad} do not apply")
    return 1 if bad else 0


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    chosen = [m for m in MUTANTS if not sys.argv[1:] or m[0] in sys.argv[1:]]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "source"
        build = pathlib.Path(folder) / "build"
        shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("build*", ".git"))
        litmus = ROOT.parent / "shared" / "litmus" / "visible"
        configured = run(["cmake", "-S", source, "-B", build, "-G", "Ninja",
                          f"-DVKR_LITMUS_DIR={litmus}"], folder)
        if configured.returncode:
            sys.exit(configured.stdout)
        whole = judge(build, source, "", "order.c", "#include \"order_hrf.h\"", "#include \"order_hrf.h\"")
        if whole != "SURVIVES":
            sys.exit("the tests fail without any mutation: " + whole)
        for mutant in chosen:
            outcome = judge(build, source, *mutant)
            if not outcome.startswith("caught"):
                if mutant[0] in EQUIVALENT:
                    outcome = "equivalent: " + EQUIVALENT[mutant[0]]
                else:
                    bad += 1
            print(f"{mutant[0]}: {outcome}", flush=True)
    print(f"{len(chosen)} mutants, {bad} not caught")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
