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

/** The router leaves the page if it can't load the code of the next one, so an outage must not come first. */
async function loadOtherPages(): Promise<void> {
  const { routes } = (window as unknown as { __reactRouterManifest: Manifest })
    .__reactRouterManifest;
  for (const { module } of Object.values(routes)) await import(/* @vite-ignore */ module);
}

type Manifest = { routes: Readonly<Record<string, { module: string }>> };

loadOtherPages().catch(() => undefined);
