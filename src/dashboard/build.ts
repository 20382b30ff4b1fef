import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RouterContextProvider, ServerBuild } from 'react-router';
import type { RequestFacts } from './context.ts';
import type { Services } from './services.ts';

/** The router's build with our entry.server.tsx. */
export type ServerBundle = ServerBuild & {
  entry: {
    module: {
      createRequestHandler: (build: ServerBuild, mode: string) => PageHandler;
      isPage: (build: ServerBuild, path: string) => boolean;
      createLoadContext: (services: Services, facts: RequestFacts) => RouterContextProvider;
    };
  };
};

type PageHandler = (request: Request, context: RouterContextProvider) => Promise<Response>;

/** By path, such as `assets/root-B1x2.js`. */
export type BrowserFiles = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

export interface DashboardBuild {
  loadServer(): Promise<ServerBundle>;
  readFiles(): Promise<BrowserFiles>;
}

/** As bin/build-dashboard.js leaves it. */
export function openBuildFolder(folder: string): DashboardBuild {
  const entry = pathToFileURL(join(folder, 'server', 'index.js')).href;
  return {
    loadServer: async () => (await import(entry)) as ServerBundle,
    readFiles: () => readFolder(join(folder, 'client')),
  };
}

async function readFolder(folder: string): Promise<BrowserFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const files = paths.map(async (path) => {
    const name = path.slice(folder.length + 1).replaceAll('\\', '/');
    return [name, new Uint8Array(await readFile(path))] as const;
  });
  return new Map(await Promise.all(files));
}
