export const demoDomain = 'demo.everpost.test';
export const demoSender = { email: `hello@${demoDomain}`, name: 'Everpost demo' };
