/** What the router knows of the path that everything is below; React Router writes it into the page. */
type RouterGlobals = { __reactRouterContext?: { basename?: string } };

/** A path of ours as the browser asks for it. For scripts only: what is rendered goes by links and forms of the router. */
export function addressOf(path: string): string {
  const basePath = basePathInBrowser();
  return basePath === '' ? path : `${basePath}${path}`;
}

export function basePathInBrowser(): string {
  const basename = (globalThis as RouterGlobals).__reactRouterContext?.basename ?? '/';
  return basename.replace(/\/+$/, '');
}
