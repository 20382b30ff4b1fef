import type { BrowserFiles, DashboardBuild, ServerBundle } from '../build.ts';

/** The path that Vite writes into its build. */
const builtAt = '/assets/';

/** Below a path, which each operator chooses. */
export function moveBuild(build: DashboardBuild, basePath: string): DashboardBuild {
  if (basePath === '') return build;
  return {
    loadServer: async () => moveBundle(await build.loadServer(), basePath),
    readFiles: async () => moveFiles(await build.readFiles(), basePath),
  };
}

function moveBundle(bundle: ServerBundle, basePath: string): ServerBundle {
  return {
    ...bundle,
    // With a slash, so that the first page's data is below it: `/belfry/_.data`.
    basename: `${basePath}/`,
    publicPath: `${basePath}/`,
    assets: moveAddresses(bundle.assets, basePath),
  };
}

function moveAddresses<Tree>(tree: Tree, basePath: string): Tree {
  if (typeof tree === 'string') {
    return (tree.startsWith(builtAt) ? `${basePath}${tree}` : tree) as Tree;
  }
  if (Array.isArray(tree))
    return tree.map((item) => moveAddresses<unknown>(item, basePath)) as Tree;
  if (typeof tree !== 'object' || tree === null) return tree;
  const entries = Object.entries(tree).map(([key, value]: [string, unknown]) => [
    key,
    moveAddresses(value, basePath),
  ]);
  return Object.fromEntries(entries) as Tree;
}

/** The list of routes is the only script with addresses. Its compressed versions are removed. */
function moveFiles(files: BrowserFiles, basePath: string): BrowserFiles {
  const moved = new Map(files);
  for (const [name, content] of files) {
    if (!/^assets\/manifest-[\w-]+\.js$/.test(name)) continue;
    const script = new TextDecoder().decode(content);
    const addresses = script.replaceAll(`"${builtAt}`, `"${basePath}${builtAt}`);
    moved.set(name, new TextEncoder().encode(addresses));
    for (const encoding of ['br', 'gz']) moved.delete(`${name}.${encoding}`);
  }
  return moved;
}
