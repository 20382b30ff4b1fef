/**
 * Whether a failed validation is answered in JSON (§4.6): if the caller accepts any JSON type, even with other types,
 * or if it accepts every type and `X-Requested-With` marks it as a script.
 */
export function acceptsJson(
  accept: string | undefined,
  requestedWith: string | undefined,
): boolean {
  const types = readAcceptedTypes(accept ?? '');
  if (types.some((type) => type.includes('/json') || type.endsWith('+json'))) return true;
  return types.includes('*/*') && requestedWith?.toLowerCase() === 'xmlhttprequest';
}

/** The media types in lower case, without those of q=0, which the caller refuses. */
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
