import module from 'node:module';
import { fileURLToPath } from 'node:url';

/** The next start neither strips types nor compiles. */
export function keepCompiledCode() {
  const folder = fileURLToPath(new URL('../build/compile-cache', import.meta.url));
  module.enableCompileCache(folder);
  // The database's threads read this variable.
  process.env.NODE_COMPILE_CACHE = folder;
}
