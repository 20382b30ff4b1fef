/** What the distribution of free seats has to know of a lane: a queue, or a team's crons or callbacks. */
export interface SeatSeeker {
  teamId: string;
  /** Runs of this lane that are under way in this process. */
  inFlight: number;
}

/**
 * Nobody may hold more than about this many times the seats that are still free to it: a hog that is alone
 * gets most of them, the next one most of the rest, and as the first ones' requests end they even out. A cap
 * by number would either waste seats when one is alone or leave none when several hang.
 *
 * It holds twice: for teams among all seats, and for the lanes of a team among those that the team may have,
 * so that a team's own hanging queue does not hold up its other queues, its crons and its callbacks. A lane
 * that is alone in the world has two thirds of all seats.
 */
const TEAM_GREED = 7;
const LANE_GREED = 3;

/**
 * Deals free seats to lanes in turn, one each a round, until they are gone or nobody may take more (§3.8).
 *
 * @param lanes   in the order of their turns
 * @param teamInFlight  runs under way by team, all lanes together
 * @returns how many seats each lane gets, in the order of `lanes`
 */
export function dealSeats(
  lanes: readonly SeatSeeker[],
  free: number,
  teamInFlight: ReadonlyMap<string, number>,
): number[] {
  const dealt = lanes.map(() => 0);
  const taken = new Map<string, number>();
  let left = free;
  let seeking = lanes.map((_, index) => index);
  for (;;) {
    if (left === 0 || seeking.length === 0) return dealt;
    // Rounds in which everybody still gets a seat are dealt together.
    const each = Math.max(1, Math.floor(left / seeking.length / 4));
    seeking = seeking.filter((index) => {
      const lane = lanes[index];
      if (!lane || left === 0) return false;
      const ofTeam = (teamInFlight.get(lane.teamId) ?? 0) + (taken.get(lane.teamId) ?? 0);
      const room = mostWithin(ofTeam, left, TEAM_GREED);
      const ofLane = lane.inFlight + (dealt[index] ?? 0);
      const seats = Math.min(each, mostWithin(ofLane, room, LANE_GREED));
      dealt[index] = (dealt[index] ?? 0) + seats;
      taken.set(lane.teamId, (taken.get(lane.teamId) ?? 0) + seats);
      left -= seats;
      return seats > 0;
    });
  }
}

/** The most of `left` seats that keep `holds + seats <= greed * (left - seats) + greed`. */
function mostWithin(holds: number, left: number, greed: number): number {
  const most = Math.floor((greed * left + greed - holds) / (greed + 1));
  return Math.max(0, Math.min(left, most));
}
