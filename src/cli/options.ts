import { InvalidArgumentError, Option } from 'commander';
import { MOST_LISTED } from '#work/list-limit';

const LISTED_BY_DEFAULT = 100;

/** `--limit N`, for lists. */
export function limitOption(): Option {
  return new Option('--limit <N>', `how many, at most ${MOST_LISTED}`)
    .default(LISTED_BY_DEFAULT)
    .argParser((text) => {
      const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
      if (count >= 1 && count <= MOST_LISTED) return count;
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_LISTED}.`);
    });
}

/** A switch that cannot stand beside its opposite. */
export function eitherOption(flag: string, opposite: string, description: string): Option {
  return new Option(`--${flag}`, description).conflicts(opposite);
}
