import type { Forecast } from '../services.ts';

/** When the monthly limit will be reached, in words; null: there is no limit. */
export function describeForecast(forecast: Forecast | null): string | null {
  switch (forecast) {
    case null:
      return null;
    case 'reached':
      return 'The limit is reached. Sending resumes next month.';
    case 'too-early':
      return 'Too early in the month to tell.';
    case 'enough':
      return 'On track: within this month’s limit.';
    default:
      return `Active crons, waiting jobs and the pace so far reach the limit on ${forecast.runsOutOn} (UTC).`;
  }
}
