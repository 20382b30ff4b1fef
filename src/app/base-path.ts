/** Programs request these at the listening address, without the path of BASE_URL. */
const SERVICE_PATHS = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/echo', '/api'];

/**
 * The URL without the path of the public address, or a redirect to the page. The path is removed first, because it may
 * be `/jobs`, which is also a page.
 * @param url path and query
 * @param basePath empty or, for example, `/belfry`
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
