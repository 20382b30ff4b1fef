/** React Router writes the base path into the page. */
type RouterGlobals = { __reactRouterContext?: { basename?: string } };

/** For scripts only: rendered pages use the router's links and forms. */
export function addressOf(path: string): string {
  const basePath = basePathInBrowser();
  return basePath === '' ? path : `${basePath}${path}`;
}

export function basePathInBrowser(): string {
  const basename = (globalThis as RouterGlobals).__reactRouterContext?.basename ?? '/';
  return basename.replace(/\/+$/, '');
}
