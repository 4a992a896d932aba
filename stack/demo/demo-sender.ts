export const demoDomain = 'demo.everpost.test';
export const demoOwner = `owner@${demoDomain}`;
/** Of sign-in mails, which arrive in the mailbox. */
export const demoConsoleFrom = `console@${demoDomain}`;
export const demoSender = { email: `hello@${demoDomain}`, name: 'Everpost demo' };
