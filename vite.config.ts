import { reactRouter } from '@react-router/dev/vite';
import type { Plugin as PostcssPlugin } from 'postcss';
import { defineConfig } from 'vite';

const dark = "[data-mantine-color-scheme='dark']";
const light = "[data-mantine-color-scheme='light']";
const auto = "[data-mantine-color-scheme='auto']";

/**
 * Lets "auto" follow the system without a script: each rule that Mantine writes for one scheme is
 * repeated for `auto` inside the media query of that scheme. The server then knows all it needs for
 * the first byte, there is no flash, and it holds with JavaScript off.
 */
function followSystemScheme(): PostcssPlugin {
  const done = Symbol('done');
  return {
    postcssPlugin: 'follow-system-scheme',
    Rule(rule, { AtRule }) {
      const seen = rule as typeof rule & { [done]?: boolean };
      const scheme = rule.selector.includes(dark)
        ? 'dark'
        : rule.selector.includes(light)
          ? 'light'
          : null;
      if (scheme === null || seen[done]) return;
      seen[done] = true;
      const copy = rule.clone({
        selector: rule.selector.replaceAll(scheme === 'dark' ? dark : light, auto),
      });
      const media = new AtRule({ name: 'media', params: `(prefers-color-scheme: ${scheme})` });
      media.append(copy);
      rule.after(media);
    },
  };
}

export default defineConfig({
  publicDir: 'src/dashboard/public',
  plugins: [reactRouter()],
  css: { postcss: { plugins: [followSystemScheme()] } },
  // The server bundle carries its packages: it starts fast, and React's production build does not
  // depend on how NODE_ENV is set where Belfry runs.
  ssr: { noExternal: true },
  environments: {
    ssr: { define: { 'process.env.NODE_ENV': '"production"' } },
  },
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Nothing inline: the content security policy allows no data: scripts or styles.
    assetsInlineLimit: 0,
  },
});
