/**
 * Whether a failed validation is answered in JSON (§4.6): if the caller's most preferred media type contains `/json`
 * or `+json`, or if it accepts any type and `X-Requested-With` says that it is a script.
 */
export function prefersJson(
  accept: string | undefined,
  requestedWith: string | undefined,
): boolean {
  const first = findPreferredType(accept ?? '');
  if (first.includes('/json') || first.includes('+json')) return true;
  return first === '*/*' && requestedWith?.toLowerCase() === 'xmlhttprequest';
}

/** The media type with the highest q; the first one among equals; '' if none is acceptable. */
function findPreferredType(accept: string): string {
  let preferred = '';
  let highest = 0;
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const quality = readQuality(parameters);
    if (type !== '' && quality > highest) [preferred, highest] = [type, quality];
  }
  return preferred;
}

/** RFC 9110, 12.4.2: 1 if no quality is given or it cannot be read. */
function readQuality(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return given !== undefined && /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(given) ? Number(given) : 1;
}
