import { Button } from '../parts/forms/button.tsx';
import { Field } from '../parts/forms/field.tsx';
import { useForm } from '../parts/forms/form.ts';
import { FormDialog } from '../parts/over/form-dialog.tsx';
import { linkAt, setLink } from './model/words.ts';
import type { Surface } from './surface/open.ts';

const SCHEME = /^(https?:\/\/|mailto:|tel:|sms:|\{\{)/i;

/** Asks where the selected words lead. */
export function LinkDialog({ surface, onClose }: { surface: Surface; onClose: () => void }) {
  const { doc, selection } = surface.state.peek();
  const before = linkAt(doc, selection.from + (selection.empty ? 0 : 1))?.attrs.href as string | undefined;
  const form = useForm({ href: before ?? '' });
  const submit = form.submit(({ href }) => {
    const text = href.trim();
    if (text === '') {
      form.errors.value = { href: 'Write an address.' };
      return;
    }
    surface.run(setLink(SCHEME.test(text) ? text : text.includes('@') ? `mailto:${text}` : `https://${text}`));
    onClose();
  });
  return (
    <FormDialog title="Link" form={form} action="Link the words" onClose={onClose} onSubmit={submit}>
      <Field form={form} name="href" label="Address" autocomplete="off" hint="A page, or an address of mail." />
      {before !== undefined && (
        <Button
          isSmall
          onClick={() => {
            surface.run(setLink(null));
            onClose();
          }}
        >
          Take the link away
        </Button>
      )}
    </FormDialog>
  );
}
