interface SlotSeeker {
  teamId: string;
  inFlight: number;
}

/**
 * A team or group may hold about this many times the slots that are still free to it. A fixed cap would waste slots
 * when one team is alone, or leave none when several teams' requests hang. Applies to teams among all slots, then to a
 * team's groups among its slots, so a hanging queue doesn't delay the team's others. A lone group gets two thirds of
 * all slots.
 */
const TEAM_SLOTS_PER_FREE = 7;
const GROUP_SLOTS_PER_FREE = 3;

/**
 * Deals free slots to groups in turn, one each per round (§3.8).
 * @param groups in the order of the line
 */
export function dealSlots(
  groups: readonly SlotSeeker[],
  free: number,
  teamInFlight: ReadonlyMap<string, number>,
): number[] {
  const dealt = groups.map(() => 0);
  const taken = new Map<string, number>();
  let left = free;
  let seeking = groups.map((_, index) => index);
  for (;;) {
    if (left === 0 || seeking.length === 0) return dealt;
    // Deals several rounds at once while every group gets a slot in each of them.
    const each = Math.max(1, Math.floor(left / seeking.length / 4));
    seeking = seeking.filter((index) => {
      const group = groups[index];
      if (!group || left === 0) return false;
      const ofTeam = (teamInFlight.get(group.teamId) ?? 0) + (taken.get(group.teamId) ?? 0);
      const leftOfTeam = mostWithin(ofTeam, left, TEAM_SLOTS_PER_FREE);
      const ofGroup = group.inFlight + (dealt[index] ?? 0);
      const slots = Math.min(each, mostWithin(ofGroup, leftOfTeam, GROUP_SLOTS_PER_FREE));
      dealt[index] = (dealt[index] ?? 0) + slots;
      taken.set(group.teamId, (taken.get(group.teamId) ?? 0) + slots);
      left -= slots;
      return slots > 0;
    });
  }
}

/** Half of what a lone group gets, so the next claim is made while these runs are sent. */
const CLAIMED_SHARE = 1 / 3;

export function cutToClaim(dealt: readonly number[], allSlots: number): number[] {
  let left = Math.ceil(allSlots * CLAIMED_SHARE);
  return dealt.map((slots) => {
    const kept = Math.min(slots, left);
    left -= kept;
    return kept;
  });
}

/** The most of `left` slots that keep `used + slots <= perFree * (left - slots) + perFree`. */
function mostWithin(used: number, left: number, perFree: number): number {
  const most = Math.floor((perFree * left + perFree - used) / (perFree + 1));
  return Math.max(0, Math.min(left, most));
}
