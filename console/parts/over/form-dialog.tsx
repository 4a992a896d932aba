import type { ComponentChildren } from 'preact';
import { Button, type ButtonProps } from '../forms/button.tsx';
import type { Form } from '../forms/form.ts';
import { Notice } from '../page/notice.tsx';
import { Dialog } from './dialog.tsx';

/** A dialog that is filled in and sent. A refusal that names none of its fields is shown below them. */
export function FormDialog<V extends object>({
  title,
  form,
  action,
  operation,
  why,
  isWide = false,
  children,
  onClose,
  onSubmit,
}: {
  title: string;
  form: Form<V>;
  /** The button that sends it: a verb and, where there are several, their number. */
  action: string;
  isWide?: boolean;
  children: ComponentChildren;
  onClose: () => void;
  onSubmit: (event: Event) => unknown;
} & Pick<ButtonProps, 'operation' | 'why'>) {
  return (
    <Dialog
      title={title}
      isWide={isWide}
      onClose={onClose}
      onSubmit={onSubmit}
      footer={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button
            kind="first"
            type="submit"
            isBusy={form.isBusy.value}
            why={why}
            {...(operation === undefined ? {} : { operation })}
          >
            {action}
          </Button>
        </>
      }
    >
      {children}
      {form.failure.value && <Notice kind="bad" title={form.failure.value} />}
    </Dialog>
  );
}
