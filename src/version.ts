import manifest from '../package.json' with { type: 'json' };

/** Belfry's version, from package.json. */
export const VERSION: string = manifest.version;
