import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { InboundAttachment, InboundMessage, InboundVerdict } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Pairs } from '../../parts/data/details.tsx';
import { bytes } from '../../parts/data/format.ts';
import { Badge, type Tone } from '../../parts/data/state.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { to } from '../../router.ts';
import { LetterBody } from './letter-body.tsx';
import { Addresses, Arrival, isErased, isOrdinary, writerOf } from './words.tsx';

/** One mail: a line, and all of it when it is open. */
export function Letter({ mail, isFirst, onReply }: { mail: InboundMessage; isFirst: boolean; onReply: () => void }) {
  const isOpen = useSignal(isFirst);
  const id = useId();
  return (
    <article class="letter rule" aria-labelledby={id}>
      <header>
        <h2 id={id} class="cut">
          {writerOf(mail)}
        </h2>
        {mail.from.name && (
          <span class="dim cut">
            <bdi>{mail.from.email}</bdi>
          </span>
        )}
        {!isOrdinary(mail) && <Arrival mail={mail} />}
        <span class="grow" />
        <span class="dim small">
          <Time at={mail.receivedAt} />
        </span>
        <Button
          isSmall
          kind="plain"
          label={isOpen.value ? 'Close this mail' : 'Open this mail'}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {isOpen.value ? 'Close' : 'Open'}
        </Button>
      </header>
      {isOpen.value ? (
        <Inside mail={mail} onReply={onReply} />
      ) : (
        <p class="dim cut">
          <bdi>{mail.text?.trim().slice(0, 200) || mail.subject}</bdi>
        </p>
      )}
    </article>
  );
}

function Inside({ mail, onReply }: { mail: InboundMessage; onReply: () => void }) {
  if (isErased(mail)) return <p class="dim">The person was deleted, and what they wrote with them.</p>;
  const { cc = [], replyTo = [], attachments, inReplyToEmailActivityId } = mail;
  return (
    <div class="stack">
      <Pairs
        pairs={[
          ['To', <Addresses key="to" of={mail.to} />],
          ...(cc.length > 0 ? [['Cc', <Addresses key="cc" of={cc} />] as const] : []),
          ...(replyTo.length > 0 ? [['Answers go to', <Addresses key="reply" of={replyTo} />] as const] : []),
          ['Subject', <bdi key="subject">{mail.subject}</bdi>],
          ['Sender', <Proof key="proof" mail={mail} />],
          ...(inReplyToEmailActivityId
            ? [
                [
                  'Answers',
                  <a key="answers" class="link" href={to('/emails', { email: inReplyToEmailActivityId })}>
                    the mail that we sent
                  </a>,
                ] as const,
              ]
            : []),
        ]}
      />
      <LetterBody mail={mail} />
      {attachments.length > 0 && <Files mail={mail} />}
      <div class="row wrap">
        <Button operation="inbound.reply" onClick={onReply}>
          Reply
        </Button>
        <Button kind="plain" icon="email" href={to('/emails', { address: (replyTo[0] ?? mail.from).email })}>
          Mails to this person
        </Button>
      </div>
    </div>
  );
}

interface Proven {
  tone: Tone;
  words: string;
}

const unproven: Proven = { tone: 'idle', words: 'Not proved' };
const proofs: Partial<Record<InboundVerdict, Proven>> = {
  PASS: { tone: 'good', words: 'Proved by its domain' },
  FAIL: { tone: 'bad', words: 'Refused by its domain: it may be forged' },
};

/** DMARC says whether the address of the sender is that of the person who wrote. */
function Proof({
  mail: { dmarcVerdict = 'NONE', spfVerdict = 'NONE', dkimVerdict = 'NONE' },
}: {
  mail: InboundMessage;
}) {
  const { tone, words } = proofs[dmarcVerdict] ?? unproven;
  return (
    <span class="row wrap">
      <Badge tone={tone}>{words}</Badge>
      <span class="dim small">
        DMARC {dmarcVerdict.toLowerCase()}, SPF {spfVerdict.toLowerCase()}, DKIM {dkimVerdict.toLowerCase()}
      </span>
    </span>
  );
}

function Files({ mail: { id, attachments } }: { mail: InboundMessage }) {
  return (
    <div class="stack tight">
      <h3>Files</h3>
      <ul class="letter-files" aria-label="Files">
        {attachments.map((file) => (
          <li key={file.attachmentId}>
            <Button
              isSmall
              icon="download"
              operation="inbound.attachment"
              label={`Download ${file.filename}`}
              onClick={() => download(id, file)}
            >
              <bdi class="cut">{file.filename}</bdi>
            </Button>
            <span class="dim small">
              {bytes(file.size)}, <bdi>{file.contentType}</bdi>
            </span>
          </li>
        ))}
      </ul>
      <p class="dim small">Files are not searched for viruses.</p>
    </div>
  );
}

/** The API answers with a link that works for some minutes, under the name by which it knows itself. */
async function download(inboundId: string, { attachmentId, filename }: InboundAttachment): Promise<void> {
  const { downloadUrl } = await api.inbound.attachment(inboundId, attachmentId);
  const link = document.createElement('a');
  link.href = new URL(downloadUrl, location.origin).pathname;
  link.download = filename;
  link.click();
}
