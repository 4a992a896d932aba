import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileMessage, composeMessage } from '../../../core/mail/compose/mime/compose.ts';
import { signMessage } from '../../../platform/dkim/sign.ts';

/** Has dkimpy, fetched with pip into a folder of its own, verify our signatures: whole, and with each part altered. Needs python3 and PyPI. */
const CHECK = `
import sys, json, dkim
records = json.load(open(sys.argv[1] + '/records.json'))
dns = lambda name, timeout=5: records.get((name.decode() if isinstance(name, bytes) else name).rstrip('.') , '').encode() or None
answers = []
for name in sys.argv[2:]:
    raw = open(sys.argv[1] + '/' + name, 'rb').read()
    for index in range(2):
        try: answers.append([name, index, dkim.DKIM(raw).verify(idx=index, dnsfunc=dns)])
        except Exception as error: answers.append([name, index, False])
print(json.dumps(answers))
`;

const folder = mkdtempSync(join(tmpdir(), 'everpost-dkimpy-'));
try {
  const packages = ['dkimpy==1.1.8', 'dnspython==2.9.2', 'pynacl'];
  execFileSync('python3', ['-m', 'pip', 'install', '-q', '--target', join(folder, 'py'), ...packages], {
    stdio: 'inherit',
  });
  const rsa = makeKey('rsa');
  const ed25519 = makeKey('ed25519');
  const at = new Date('2026-11-21T12:00:00Z');
  const message = makeMessage(at);
  const signed = signMessage(message, [rsa.key, ed25519.key], at) + message;
  const files: Record<string, string> = {
    whole: signed,
    'altered-body': signed.replace('paragraph', 'paragraf'),
    'second-from': `From: evil@evil.test\r\n${signed}`,
    'second-subject': `Subject: Another\r\n${signed}`,
    'second-content-type': `Content-Type: text/html\r\n${signed}`,
    'reply-to-that-was-absent': `Reply-To: evil@evil.test\r\n${signed}`,
    'cc-that-was-absent': `Cc: evil@evil.test\r\n${signed}`,
    'altered-list-unsubscribe-post': signed.replace('=One-Click', '=Two-Click'),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, 'latin1');
  writeFileSync(join(folder, 'records.json'), JSON.stringify({ ...rsa.record, ...ed25519.record }));
  const out = execFileSync('python3', ['-c', CHECK, folder, ...Object.keys(files)], {
    env: { ...process.env, PYTHONPATH: join(folder, 'py') },
  });
  const answers: [string, number, boolean][] = JSON.parse(String(out));
  for (const [name, index, valid] of answers) {
    const right = valid === (name === 'whole');
    console.log(
      `${right ? 'ok' : 'WRONG'}: ${name}, ${index === 0 ? 'RSA' : 'Ed25519'} is ${valid ? 'valid' : 'invalid'}`,
    );
    if (!right) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function makeMessage(date: Date): string {
  const skeleton = compileMessage({
    from: { email: 'news@out.test', name: 'Jürgen' },
    subject: ['Grüße'],
    html: ['<p>A  paragraph \t with white space </p>\n\n'],
    text: ['A paragraph'],
    listId: 'l.out.test',
    feedbackId: 'c:p:t:s',
    boundary: 'abc',
  });
  const unsubscribe = { url: 'https://t.test/u/TOKEN', mailto: 'u+TOKEN@in.test' };
  return composeMessage(skeleton, {
    to: [{ email: 'anna@in.test', name: 'Anna' }],
    messageId: '1@out.test',
    date,
    unsubscribe,
  });
}

function makeKey(type: 'rsa' | 'ed25519') {
  const pair = type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2_048 }) : generateKeyPairSync('ed25519');
  const spki = pair.publicKey.export({ type: 'spki', format: 'der' });
  const p = (type === 'rsa' ? spki : spki.subarray(-32)).toString('base64');
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    key: { domain: 'out.test', selector: type, privateKey },
    record: { [`${type}._domainkey.out.test`]: `v=DKIM1; k=${type}; p=${p}` },
  };
}
