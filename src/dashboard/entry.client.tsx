// First in the shared sheet, before components.
import './styles/tokens.css';
import './styles/base.css';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { HydratedRouter } from 'react-router/dom';

// The browser silently cuts pasted text at `maxlength`; whole, it gets the server's error (§8).
for (const type of ['paste', 'drop']) {
  document.addEventListener(type, ({ target }) => {
    if (target instanceof Element) target.removeAttribute('maxlength');
  });
}

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter />
    </StrictMode>,
  );
});

/**
 * Fills the browser's cache with the code of all pages. Without the code of the next page, the router reloads the
 * document, and in an outage the present page would be lost.
 */
async function fetchOtherPages(): Promise<void> {
  const { routes } = (window as unknown as { __reactRouterManifest: Manifest })
    .__reactRouterManifest;
  const files = Object.values(routes).flatMap(({ module, imports = [] }) =>
    [module].concat(imports),
  );
  for (const file of new Set(files)) await (await fetch(file)).arrayBuffer();
}

type Manifest = { routes: Readonly<Record<string, { module: string; imports?: string[] }>> };

/** Late enough not to delay the first page. */
const FETCH_AFTER_MS = 2_000;
setTimeout(() => void fetchOtherPages().catch(() => undefined), FETCH_AFTER_MS);
