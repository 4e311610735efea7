// SPDX-License-Identifier: Apache-2.0
// The oracle's section "Location-Ordered", a bullet a function, with the operations of the API
// ("Availability, Visibility, and Domain Operations") that its last bullet goes through.
#include "evaluation.h"

static bool happens_before(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y)
{
	return vkr_relation_has(&evaluation->happens, x, y);
}

static bool both_non_private(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y)
{
	return vkr_event(evaluation, x)->nonprivate && vkr_event(evaluation, y)->nonprivate;
}

// "A_X == A_Y and R_X == R_Y and X->Y"
static bool same_agent_and_reference(const struct vkr_evaluation *evaluation, uint32_t x,
				     uint32_t y)
{
	return vkr_event(evaluation, x)->agent == vkr_event(evaluation, y)->agent &&
	       vkr_event(evaluation, x)->reference == vkr_event(evaluation, y)->reference &&
	       happens_before(evaluation, x, y);
}

// "X is a read, both X and Y are non-private, and X->Y"
static bool read_before(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y)
{
	return vkr_event_reads(vkr_event(evaluation, x)) &&
	       vkr_demand(evaluation, VKR_CLAUSE_LO_READ_PRIVATE,
			  both_non_private(evaluation, x, y)) &&
	       happens_before(evaluation, x, y);
}

// "X is a read, and X (transitively) system-synchronizes with Y"
static bool read_before_by_system(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y)
{
	return vkr_event_reads(vkr_event(evaluation, x)) &&
	       vkr_relation_has(&evaluation->system_closed, x, y);
}

// "If R_X == R_Y and A_X and A_Y access a common memory domain D [...], and both X and Y are
// non-private". D is a shader domain here: the device and the host domain, common or not, are
// reached by operations of the API alone, for which the last bullet asks less.
static bool share_domain(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y,
			 enum vkr_level level)
{
	return vkr_demand(evaluation, VKR_CLAUSE_LO_SHADER_REFERENCE,
			  vkr_event(evaluation, x)->reference ==
				  vkr_event(evaluation, y)->reference) &&
	       vkr_demand(evaluation, VKR_CLAUSE_LO_SHADER_COMMON,
			  vkr_set_has(evaluation->instance[level].row[x], y)) &&
	       vkr_demand(evaluation, VKR_CLAUSE_LO_SHADER_PRIVATE,
			  both_non_private(evaluation, x, y));
}

// "X is a write, Y is a write, AVC(A_X,R_X,D,L) is an availability chain making (X,L) available to
// domain D, and X->rcpo AVC(A_X,R_X,D,L)->Y"
static bool write_before_write(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y,
			       uint32_t byte)
{
	if (!vkr_event_writes(vkr_event(evaluation, x)) ||
	    !vkr_event_writes(vkr_event(evaluation, y)))
		return false;
	uint64_t available[VKR_LEVEL_COUNT];
	vkr_evaluate_available(evaluation, x, byte, available);
	for (enum vkr_level level = 0; level < VKR_LEVEL_COUNT; level++) {
		if (!share_domain(evaluation, x, y, level))
			continue;
		for (uint64_t set = available[level]; set; set &= set - 1) {
			if (happens_before(evaluation, vkr_set_first(set), y))
				return true;
		}
	}
	return false;
}

// "X is a write, Y is a read, AVC(A_X,R_X,D,L) [...], VISC(A_Y,R_Y,D,L) is a visibility chain
// making writes to L available in domain D visible to Y, and X->rcpo AVC->VISC->rcpo Y"
static bool write_before_read(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y,
			      uint32_t byte)
{
	if (!vkr_event_writes(vkr_event(evaluation, x)) ||
	    !vkr_event_reads(vkr_event(evaluation, y)))
		return false;
	uint64_t available[VKR_LEVEL_COUNT], visible[VKR_LEVEL_COUNT];
	vkr_evaluate_available(evaluation, x, byte, available);
	vkr_evaluate_visible(evaluation, y, byte, visible);
	for (enum vkr_level level = 0; level < VKR_LEVEL_COUNT; level++) {
		if (!share_domain(evaluation, x, y, level))
			continue;
		for (uint64_t set = available[level]; set; set &= set - 1) {
			if (evaluation->happens.row[vkr_set_first(set)] & visible[level])
				return true;
		}
	}
	return false;
}

// vkFlushMappedMemoryRanges and vkInvalidateMappedMemoryRanges: "(agents,references) = (all host
// threads, all mapped memory ranges passed to the command)".
static bool lists(const struct vkr_evaluation *evaluation, enum vkr_clause clause,
		  const struct vkr_litmus_event *command, uint32_t reference)
{
	bool listed = false;
	for (size_t i = 0; i < command->reference_count; i++)
		listed = listed || command->references[i] == reference;
	return vkr_demand(evaluation, clause, listed);
}

// AV(A_X,R_X,D_X,L): to the host domain by a flush, to the device domain by a memory dependency.
static bool makes_available(const struct vkr_evaluation *evaluation, uint32_t operation, uint32_t x)
{
	const struct vkr_litmus_event *event = vkr_event(evaluation, operation);
	if (!vkr_event_on_host(evaluation, x))
		return event->operation == VKR_LITMUS_AVAILABLE;
	return event->operation == VKR_LITMUS_FLUSH &&
	       lists(evaluation, VKR_CLAUSE_DOMAIN_FLUSH, event,
		     vkr_event(evaluation, x)->reference);
}

// VIS(A_Y,R_Y,D_Y,L): from the host domain by an invalidate, from the device domain by a memory
// dependency or vkQueueSubmit.
static bool makes_visible(const struct vkr_evaluation *evaluation, uint32_t operation, uint32_t y)
{
	const struct vkr_litmus_event *event = vkr_event(evaluation, operation);
	if (!vkr_event_on_host(evaluation, y))
		return event->operation == VKR_LITMUS_VISIBLE;
	return event->operation == VKR_LITMUS_INVALIDATE &&
	       lists(evaluation, VKR_CLAUSE_DOMAIN_INVALIDATE, event,
		     vkr_event(evaluation, y)->reference);
}

// The ends of X->AV(A_X,R_X,D_X,L)->DOM(D_X,D_Y): memory domain operations, or, where the domain is
// one, the availability operations themselves.
static uint64_t ends_in_domain(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y)
{
	bool from_host = vkr_event_on_host(evaluation, x),
	     to_host = vkr_event_on_host(evaluation, y);
	uint64_t available = 0, domain = 0;
	for (uint32_t a = 0; a < evaluation->count; a++) {
		if (makes_available(evaluation, a, x) && happens_before(evaluation, x, a))
			available |= vkr_set_of(a);
	}
	if (!vkr_demand(evaluation, VKR_CLAUSE_LO_DEVICE_DOMAIN, from_host == to_host)) {
		enum vkr_litmus_operation wanted =
			from_host ? VKR_LITMUS_DOMAIN_HOST_DEVICE : VKR_LITMUS_DOMAIN_DEVICE_HOST;
		for (; available; available &= available - 1) {
			uint32_t a = vkr_set_first(available);
			for (uint32_t d = 0; d < evaluation->count; d++) {
				if (vkr_event(evaluation, d)->operation == wanted &&
				    happens_before(evaluation, a, d))
					domain |= vkr_set_of(d);
			}
		}
		return domain;
	}
	return available;
}

// "X is a write and Y is a write, and X->AV(A_X,R_X,D_X,L)->DOM(D_X,D_Y)->Y"
static bool write_before_write_by_device(const struct vkr_evaluation *evaluation, uint32_t x,
					 uint32_t y)
{
	if (!vkr_event_writes(vkr_event(evaluation, x)) ||
	    !vkr_event_writes(vkr_event(evaluation, y)))
		return false;
	for (uint64_t set = ends_in_domain(evaluation, x, y); set; set &= set - 1) {
		if (happens_before(evaluation, vkr_set_first(set), y))
			return true;
	}
	return false;
}

// "X is a write and Y is a read, and X->AV(A_X,R_X,D_X,L)->DOM(D_X,D_Y)->VIS(A_Y,R_Y,D_Y,L)->Y"
static bool write_before_read_by_device(const struct vkr_evaluation *evaluation, uint32_t x,
					uint32_t y)
{
	if (!vkr_event_writes(vkr_event(evaluation, x)) ||
	    !vkr_event_reads(vkr_event(evaluation, y)))
		return false;
	for (uint64_t set = ends_in_domain(evaluation, x, y); set; set &= set - 1) {
		uint64_t after = evaluation->happens.row[vkr_set_first(set)];
		for (; after; after &= after - 1) {
			uint32_t v = vkr_set_first(after);
			if (makes_visible(evaluation, v, y) && happens_before(evaluation, v, y))
				return true;
		}
	}
	return false;
}

bool vkr_evaluate_location_ordered(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y,
				   uint32_t byte)
{
	const struct vkr_evaluation *e = evaluation;
	return vkr_grant(e, VKR_CLAUSE_LO_SAME, same_agent_and_reference(e, x, y)) ||
	       vkr_grant(e, VKR_CLAUSE_LO_READ, read_before(e, x, y)) ||
	       vkr_grant(e, VKR_CLAUSE_LO_READ_SYSTEM, read_before_by_system(e, x, y)) ||
	       vkr_grant(e, VKR_CLAUSE_LO_SHADER_WRITE, write_before_write(e, x, y, byte)) ||
	       vkr_grant(e, VKR_CLAUSE_LO_SHADER_READ, write_before_read(e, x, y, byte)) ||
	       vkr_grant(e, VKR_CLAUSE_LO_DEVICE_WRITE, write_before_write_by_device(e, x, y)) ||
	       vkr_grant(e, VKR_CLAUSE_LO_DEVICE_READ, write_before_read_by_device(e, x, y));
}
