import './styles/tokens.css';
import './styles/base.css';
import type { ReactNode } from 'react';
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useHref,
  useRouteLoaderData,
} from 'react-router';
import { ConnectionBar } from './connection/ConnectionBar.tsx';
import { keepPage } from './connection/keep-page.ts';
import { requestFacts } from './context.ts';
import inter from './fonts/inter.woff2';
import { readTimeZone, theme as themeCookie, times } from './serving/cookies.ts';
import { pageAccess } from './serving/page-access.ts';
import { FaultPage } from './page/FaultPage.tsx';
import { NowProvider } from './parts/Time.tsx';
import type { Route } from './+types/root.ts';

export const middleware: Route.MiddlewareFunction[] = [pageAccess];
export const clientMiddleware: Route.ClientMiddlewareFunction[] = [keepPage];

export function loader({ request, context }: Route.LoaderArgs) {
  const { now } = context.get(requestFacts);
  return {
    theme: themeCookie.read(request),
    timeZone: readTimeZone(request),
    isLocal: times.read(request) === 'local',
    now,
  };
}

export function Layout({ children }: { children: ReactNode }) {
  const facts = useRouteLoaderData<typeof loader>('root');
  const theme = facts?.theme ?? 'auto';
  return (
    <html lang="en" data-theme={theme} {...(theme !== 'auto' && { style: { colorScheme: theme } })}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="preload" href={useHref(inter)} as="font" type="font/woff2" crossOrigin="" />
        <Meta />
        <Links />
      </head>
      <body>
        <NowProvider
          now={facts?.now ?? 0}
          timeZone={facts?.timeZone ?? null}
          isLocal={facts?.isLocal ?? false}
        >
          {children}
        </NowProvider>
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}

export default function Root() {
  return (
    <>
      <Outlet />
      <ConnectionBar />
    </>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <FaultPage error={error} />;
}
