const VARIABLE = /\{\{\{?\s*([#/]?)\s*([^}]*?)\s*\}?\}\}/g;

/** A subject for people: 'Welcome, [first name]' for 'Welcome, {{firstName default="you"}}'; what only decides is left out. */
export function readable(text: string): string {
  const words = text.replace(VARIABLE, (_, block: string, inside: string) => {
    const [name = ''] = inside.split(/\s/);
    return block || name === 'else' ? '' : `[${wordsOf(name)}]`;
  });
  return words.replace(/\s+/g, ' ').trim();
}

/** 'first name' for 'contactProperties.firstName'. */
function wordsOf(name: string): string {
  const last = name.split('.').at(-1) ?? name;
  return last.replace(/_/g, ' ').replace(/([a-z\d])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
}
