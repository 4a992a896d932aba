import { useEffect } from 'preact/hooks';
import type { Form } from './form.ts';

/** The browser asks before it leaves a page with something that is not saved. */
export function useWarningBeforeLeaving(form: Pick<Form<object>, 'isChanged'>): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (form.isChanged.peek()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [form]);
}
