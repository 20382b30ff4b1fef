/** What programs ask for by the listening address itself, whatever path the public address has. */
const SERVICE_PATHS = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/echo', '/api'];

/**
 * What a request is for, where everything is below a path: the address without that path, or where the page is. The
 * path comes first, so that one such as `/jobs` can be told from the page of that name.
 *
 * @param url  path and query of the request line
 * @param basePath  empty, or such as `/belfry`
 */
export function findPlace(
  url: string,
  basePath: string,
): { kind: 'ours'; url: string } | { kind: 'elsewhere'; location: string } {
  if (basePath === '') return { kind: 'ours', url };
  const rest = url.startsWith(basePath) ? url.slice(basePath.length) : null;
  if (rest?.startsWith('/')) return { kind: 'ours', url: rest };
  if (rest !== null && /^(?:$|\?)/.test(rest)) {
    return { kind: 'elsewhere', location: `${basePath}/${rest}` };
  }
  const isForPrograms = SERVICE_PATHS.some(
    (path) => url.startsWith(path) && /^(?:$|[/?])/.test(url.slice(path.length)),
  );
  if (isForPrograms) return { kind: 'ours', url };
  return {
    kind: 'elsewhere',
    location: url.startsWith('/') ? `${basePath}${url}` : `${basePath}/`,
  };
}
