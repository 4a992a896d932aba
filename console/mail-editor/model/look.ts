/** Of a mail without colours of its own, as the interface compiles it. */
export const LOOK = { background: '#f2f3f5', paper: '#fdfdfd', colour: '#22252a', accent: '#1a5fb4', width: 600 };

export const FONTS = {
  sans: '"Segoe UI", Roboto, Helvetica, Arial, sans-serif',
  serif: 'Georgia, serif',
  mono: 'Menlo, monospace',
};
