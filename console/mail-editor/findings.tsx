import { Button } from '../parts/forms/button.tsx';
import { NoticeRow, Notices } from '../parts/page/notice.tsx';
import type { Finding } from './model/checks.ts';

/** Each line leads to its block. */
export function Findings({ findings, onShow }: { findings: readonly Finding[]; onShow: (blockId: string) => void }) {
  return (
    <section aria-label="Checks">
      {findings.length === 0 ? (
        <p class="dim small">Nothing to mend was found.</p>
      ) : (
        <Notices>
          {findings.map(({ blockId, title, text, isBad }) => (
            <NoticeRow
              key={`${blockId} ${text}`}
              kind={isBad ? 'bad' : 'warn'}
              icon="alert"
              title={title}
              action={
                blockId !== null && (
                  <Button isSmall label={`Show it: ${title}`} onClick={() => onShow(blockId)}>
                    Show it
                  </Button>
                )
              }
            >
              {text}
            </NoticeRow>
          ))}
        </Notices>
      )}
    </section>
  );
}
