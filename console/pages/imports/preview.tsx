import type { ContactImportPreview } from '../../../client/index.ts';
import { Pairs } from '../../parts/data/details.tsx';
import { count } from '../../parts/data/format.ts';
import { Notice } from '../../parts/page/notice.tsx';

const ERRORS_SHOWN = 5;

/** The changes that an import of the file would make, before it is made. */
export function ImportPreview({ preview }: { preview: ContactImportPreview }) {
  const { isWhole, processed, created, updated, unchanged, repeated, failed, errors, failureReason } = preview;
  const { suppressions, alreadySuppressed, stillSuppressed, consents } = preview;
  const { UNSUBSCRIBE, BOUNCE, COMPLAINT } = suppressions;
  if (failureReason)
    return (
      <Notice kind="bad" title="This file could not be imported">
        {failureReason}
      </Notice>
    );
  return (
    <section class="stack tight" aria-label="What would change">
      <Pairs
        isNum
        pairs={[
          [isWhole ? 'Rows' : 'Rows, of the beginning of the file', count(processed)],
          ['New people', count(created)],
          ['Changed', count(updated)],
          ['As they are', count(unchanged)],
          ...some('Addresses that come again', repeated),
          ...some('Refused', failed),
          ...some('Suppressed: unsubscribed', UNSUBSCRIBE),
          ...some('Suppressed: bounced', BOUNCE),
          ...some('Suppressed: complained', COMPLAINT),
          ...some('Suppressed before', alreadySuppressed),
          ...some('Subscribed in the file, and stay suppressed', stillSuppressed),
          ...some('Consents', consents),
        ]}
      />
      {errors.length > 0 && (
        <ul class="small t-bad">
          {errors.slice(0, ERRORS_SHOWN).map(({ row, email, message }) => (
            <li key={row}>
              Row {count(row)}
              {email && `, ${email}`}: {message}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function some(name: string, n: number): (readonly [string, string])[] {
  return n > 0 ? [[name, count(n)]] : [];
}
