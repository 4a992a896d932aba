import type { Kind } from './step-form.ts';

export const exit: Kind = {
  label: 'Leave',
  hint: 'The automation ends here for a person',
  icon: 'close',
  make: () => ({ type: 'exit' }),
  Form: () => <p class="dim">People who come here leave the automation.</p>,
};
