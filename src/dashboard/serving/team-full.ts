import { isTeamFull } from '#domain/team-bounds';
import type { FieldErrors } from '../services.ts';

/** What a call makes, or the errors of its form if the team has as much as it may have. */
export async function orTeamFull<Made extends object>(
  making: Promise<Made>,
): Promise<{ made: Made; errors?: never } | { made?: never; errors: FieldErrors }> {
  try {
    return { made: await making };
  } catch (error) {
    if (isTeamFull(error)) return { errors: Object.fromEntries([error.fieldError]) };
    throw error;
  }
}
