import type { MailTag } from '../../../client/index.ts';
import { to } from '../../router.ts';

/** Each leads to the mails that have it. */
export function Tags({ tags }: { tags: readonly MailTag[] }) {
  return (
    <div>
      {tags.map(({ name, value }) => (
        <p key={name}>
          <a class="link" href={to('/emails', { tag: `${name}:${value}` })}>
            {name}: {value}
          </a>
        </p>
      ))}
    </div>
  );
}
