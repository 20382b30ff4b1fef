import type { BrowserFiles, DashboardBuild, ServerBundle } from '../build.ts';

/** The path at which Vite puts the built files. */
const builtAt = '/assets/';

/** Moves a built dashboard below a path. It is built only once, and the path is chosen by each operator. */
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
    // With a slash, so that the data of its first page is below it, too: `/belfry/_.data`.
    basename: `${basePath}/`,
    publicPath: `${basePath}/`,
    assets: moveAddresses(bundle.assets, basePath),
  };
}

/** A copy of the tree in which every address of a built file is below the path. */
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

/**
 * Rewrites the list of routes, which is the only script that contains addresses. Its compressed versions are removed.
 */
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
