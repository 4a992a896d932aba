import { Mono } from '../data/details.tsx';
import { Button } from '../forms/button.tsx';
import { Notice } from '../page/notice.tsx';
import { Dialog } from './dialog.tsx';

/** A key or secret that no later answer has. Undefined when the answer that had it was lost on its way. */
export function SecretDialog({
  title,
  what,
  secret,
  children,
  onClose,
}: {
  title: string;
  /** For the copy button: 'the key'. */
  what: string;
  secret: string | undefined;
  children: string;
  onClose: () => void;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <Button kind="first" onClick={onClose}>
          {secret === undefined ? 'Close' : 'I have copied it'}
        </Button>
      }
    >
      {secret === undefined ? (
        <Notice kind="bad" title="The answer that had it was lost">
          Delete this one and make another.
        </Notice>
      ) : (
        <>
          <p>{children}</p>
          <Mono text={secret} what={what} />
        </>
      )}
    </Dialog>
  );
}
