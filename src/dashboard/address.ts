/** The base path, which React Router writes into the page. */
type RouterGlobals = { __reactRouterContext?: { basename?: string } };

/**
 * The address of one of our paths, as the browser requests it. Only for scripts: rendered pages use the router's
 * links and forms.
 */
export function addressOf(path: string): string {
  const basePath = basePathInBrowser();
  return basePath === '' ? path : `${basePath}${path}`;
}

export function basePathInBrowser(): string {
  const basename = (globalThis as RouterGlobals).__reactRouterContext?.basename ?? '/';
  return basename.replace(/\/+$/, '');
}
