import { createTheme, type MantineColorSchemeManager } from '@mantine/core';

/** Colours and sizes are in styles/tokens.css; here only what Mantine's components ask for in script. */
export const mantineTheme = createTheme({
  primaryColor: 'bronze',
  colors: {
    // The same bronze as --accent; Mantine wants ten shades and reads the variables of tokens.css.
    bronze: [
      '#fbf3e6',
      '#f3e3c8',
      '#e8cb97',
      '#deb56b',
      '#d3a04b',
      '#b98534',
      '#8f6120',
      '#7a511a',
      '#633f12',
      '#4b2f0c',
    ],
  },
  defaultRadius: 'sm',
  respectReducedMotion: false,
  components: {
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'sm' } },
  },
});

/** The scheme is an attribute that the server writes (from a cookie); no script ever changes it. */
export const colorSchemeFromServer: MantineColorSchemeManager = {
  get: (defaultValue) => defaultValue,
  set: () => undefined,
  subscribe: () => undefined,
  unsubscribe: () => undefined,
  clear: () => undefined,
};
