import type { Signal } from '@preact/signals';
import { Choose } from '../forms/choices.tsx';

/** A mail has two forms, of which one is looked at. */
export type Look = 'html' | 'text';

export function LookChoice({ label, look }: { label: string; look: Signal<Look> }) {
  return (
    <Choose
      label={label}
      value={look.value}
      options={[
        { value: 'html', label: 'HTML' },
        { value: 'text', label: 'Text' },
      ]}
      onChange={(value) => {
        look.value = value === 'text' ? 'text' : 'html';
      }}
    />
  );
}

export function MailText({ text }: { text: string | null | undefined }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label="The mail as text">
        {text}
      </pre>
    </div>
  );
}
