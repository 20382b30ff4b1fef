// Here too, so that they stand at the head of the shared sheet: those of components come after them.
import './styles/tokens.css';
import './styles/base.css';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { HydratedRouter } from 'react-router/dom';

// The browser cuts what is pasted at `maxlength` without a word. Let in whole, the server says how long it may be (§8).
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
