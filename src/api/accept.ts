/**
 * Whether a failed validation is answered in JSON (§4.6): any JSON type is accepted, or every type and
 * `X-Requested-With` marks a script.
 */
export function acceptsJson(
  accept: string | undefined,
  requestedWith: string | undefined,
): boolean {
  const types = readAcceptedTypes(accept ?? '');
  if (types.some((type) => type.includes('/json') || type.endsWith('+json'))) return true;
  return types.includes('*/*') && requestedWith?.toLowerCase() === 'xmlhttprequest';
}

/** In lower case, without q=0. */
function readAcceptedTypes(accept: string): string[] {
  return accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter(
      ([, ...parameters]) => !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)),
    )
    .map(([type = '']) => type);
}
