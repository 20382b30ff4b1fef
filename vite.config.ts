import { reactRouter } from '@react-router/dev/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  publicDir: 'src/dashboard/public',
  plugins: [reactRouter()],
  // The server bundle carries its packages: it starts fast, and React's production build does not
  // depend on how NODE_ENV is set where Belfry runs.
  ssr: { noExternal: true },
  environments: {
    ssr: { define: { 'process.env.NODE_ENV': '"production"' } },
    // One script and one sheet of styles hold what several pages share: a first visit asked for some eighty files, most
    // of them smaller than what asking for them takes.
    client: {
      build: {
        rolldownOptions: {
          output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } },
        },
      },
    },
  },
  // Style sheets name files beside them: the base path is chosen where Belfry runs.
  experimental: {
    renderBuiltUrl: (_name, { hostType }) => (hostType === 'css' ? { relative: true } : undefined),
  },
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Nothing inline: the content security policy allows no data: scripts or styles.
    assetsInlineLimit: 0,
  },
});
