import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/wait.ts';

export interface MailProgram {
  port: number;
  log(): string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it and removes its queue. */
  end(): Promise<void>;
}

/** Reports are handed to the inbound server, by the domains of return paths, and all other mail to the next server. */
export interface Routes {
  /** Of the program itself. */
  port: number;
  next: number;
  inbound: number;
  inboundDomains: string[];
}

/** The packages appear there, for these programs alone. */
const PROGRAMS = '/mnt';
const TLS = join(import.meta.dirname, '../fixtures/tls');
const ACCOUNTS = ['postfix:x:64001:64001::/:/bin/false', 'Debian-exim:x:64003:64003::/:/bin/false'];
const GROUPS = ['postfix:x:64001:', 'postdrop:x:64002:', 'Debian-exim:x:64003:'];
const STOP_MS = 10_000;

/** Postfix; `settings` are lines of main.cf. */
export function startPostfix(
  { port, next, inbound, inboundDomains }: Routes,
  settings: string[] = [],
): Promise<MailProgram> {
  const transports = inboundDomains.map((domain) => `{ ${domain} = smtp:[127.0.0.1]:${inbound} }`);
  return startProgram(port, (folder) => {
    const config = join(folder, 'config');
    for (const name of ['config', 'queue', 'data']) mkdirSync(join(folder, name));
    const lines = [
      ...['compatibility_level = 3.6', `queue_directory = ${folder}/queue`, `data_directory = ${folder}/data`],
      `command_directory = ${PROGRAMS}/usr/sbin`,
      `daemon_directory = ${PROGRAMS}/usr/lib/postfix/sbin`,
      `shlib_directory = ${PROGRAMS}/usr/lib/postfix`,
      `meta_directory = ${PROGRAMS}/etc/postfix`,
      ...[
        'mail_owner = postfix',
        'setgid_group = postdrop',
        'alias_maps =',
        'mydestination =',
        'local_recipient_maps =',
      ],
      ...[`maillog_file = ${folder}/log/main`, `maillog_file_prefixes = ${folder}`],
      ...[
        'inet_interfaces = 127.0.0.1',
        'inet_protocols = all',
        'mynetworks = 127.0.0.1',
        'myhostname = mx.example.net',
      ],
      // No name is looked up: mail of these tests leaves loopback in no case.
      ...[
        'disable_dns_lookups = yes',
        'smtpd_peername_lookup = no',
        'smtp_host_lookup = native',
        `relayhost = [127.0.0.1]:${next}`,
      ],
      ...(transports.length > 0 ? [`transport_maps = inline:{ ${transports.join(', ')} }`] : []),
      ...[
        'smtpd_tls_security_level = may',
        `smtpd_tls_cert_file = ${folder}/tls.crt`,
        `smtpd_tls_key_file = ${folder}/tls.key`,
      ],
      ...[
        'smtpd_tls_received_header = yes',
        'minimal_backoff_time = 1s',
        'maximal_backoff_time = 2s',
        'queue_run_delay = 1s',
      ],
      ...settings,
    ];
    writeFileSync(join(config, 'main.cf'), `${lines.join('\n')}\n`);
    const services = readFileSync(join(programsFolder(), 'usr/share/postfix/master.cf.dist'), 'utf8');
    writeFileSync(
      join(config, 'master.cf'),
      services.replace(/^smtp +inet .*/m, `127.0.0.1:${port} inet n - n - - smtpd`),
    );
    const prepare = `chown postfix ${folder}/data ${folder}/log && ${PROGRAMS}/usr/sbin/postfix -c ${config} check`;
    return `${prepare} && exec ${PROGRAMS}/usr/lib/postfix/sbin/master -c ${config} -d`;
  });
}

/** Exim, which asks for a password when `settings` say so (`acl_smtp_mail = authenticated`); they are lines of the main section. */
export function startExim(
  { port, next, inbound, inboundDomains }: Routes,
  settings: string[] = [],
): Promise<MailProgram> {
  const route = (name: string, domains: string) =>
    `${name}:\n driver = manualroute\n domains = ${domains}\n route_list = * 127.0.0.1\n self = send\n transport = ${name}\n`;
  const transport = (name: string, port: number) =>
    `${name}:\n driver = smtp\n port = ${port}\n allow_localhost\n hosts_try_fastopen =\n`;
  return startProgram(port, (folder) => {
    const text = `
primary_hostname = exim.example.net
exim_path = ${PROGRAMS}/usr/sbin/exim4
daemon_smtp_ports = ${port}
local_interfaces = 127.0.0.1
disable_ipv6
keep_environment =
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%s
pid_file_path = ${folder}/log/pid
rfc1413_hosts =
tls_advertise_hosts = *
tls_certificate = ${folder}/tls.crt
tls_privatekey = ${folder}/tls.key
smtputf8_advertise_hosts = *
acl_smtp_rcpt = recipients
${settings.join('\n')}
begin acl
authenticated:
 accept authenticated = *
 deny message = 5.7.0 Authentication required
recipients:
 deny local_parts = unknown
  message = 5.1.1 No such user
 defer local_parts = later
  message = 4.2.0 Greylisted
 accept hosts = 127.0.0.1
  control = dkim_disable_verify
begin routers
${route('inbound', inboundDomains.join(' : '))}
${route('next', '*')}
begin transports
${transport('inbound', inbound)}
${transport('next', next)}
begin retry
* * F,1h,1s
begin authenticators
plain:
 driver = plaintext
 public_name = PLAIN
 server_prompts = :
 server_condition = \${if and{{eq{$auth2}{everpost}}{eq{$auth3}{secret}}}}
 server_set_id = $auth2
`;
    mkdirSync(join(folder, 'spool'));
    const config = join(folder, 'exim.conf');
    writeFileSync(config, text);
    const own = `chown -R Debian-exim:Debian-exim ${folder}/spool ${folder}/log && chown root ${config}`;
    return `${own} && exec ${PROGRAMS}/usr/sbin/exim4 -C ${config} -bdf -q1s`;
  });
}

async function startProgram(port: number, configure: (folder: string) => string): Promise<MailProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'everpost-mta-'));
  // The programs give up root and still come here.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'log'));
  writeFileSync(join(folder, 'passwd'), `${[readFileSync('/etc/passwd', 'utf8').trimEnd(), ...ACCOUNTS].join('\n')}\n`);
  writeFileSync(join(folder, 'group'), `${[readFileSync('/etc/group', 'utf8').trimEnd(), ...GROUPS].join('\n')}\n`);
  for (const [from, to] of Object.entries({ 'localhost.crt': 'tls.crt', 'localhost.key': 'tls.key' }))
    writeFileSync(join(folder, to), readFileSync(join(TLS, from)), { mode: 0o644 });
  writeFileSync(join(folder, 'ld.so.conf'), libraryFolders());
  const command = configure(folder);
  const mounts = [
    ...['passwd', 'group'].map((name) => `mount --bind ${folder}/${name} /etc/${name}`),
    `mount --bind ${programsFolder()} ${PROGRAMS}`,
    `ldconfig -X -f ${folder}/ld.so.conf -C ${folder}/ld.so.cache`,
    `mount --bind ${folder}/ld.so.cache /etc/ld.so.cache`,
  ];
  let child: ChildProcess;
  let output = '';
  const log = () =>
    `${output}${globSync(`${folder}/log/main*`)
      .map((file) => readFileSync(file, 'utf8'))
      .join('')}`;
  const program: MailProgram = {
    port,
    log,
    async start() {
      const inNamespace = ['unshare', '--mount', 'sh', '-c', [...mounts, command].join(' && ')];
      // Ends with this process, also when that is killed.
      child = spawn('setpriv', ['--pdeathsig', 'TERM', ...inNamespace], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env.PATH, LANG: 'C' },
        detached: true,
      });
      for (const stream of [child.stdout, child.stderr]) stream!.on('data', (piece) => (output += piece));
      const isOver = () => child.exitCode !== null || child.signalCode !== null;
      const greets = await until(async () => isOver() || (await greetsOn(port)), Boolean);
      if (!greets || isOver()) throw new Error(`The mail program did not start:\n${log()}`);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      process.kill(-child.pid!, 'SIGTERM');
      const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), STOP_MS);
      await exit;
      clearTimeout(timer);
    },
    async end() {
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await program.start();
  } catch (error) {
    await program.end();
    throw error;
  }
  return program;
}

function greetsOn(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.on('data', (piece) => {
      resolve(piece.toString().startsWith('220'));
      socket.destroy();
    });
    for (const event of ['error', 'close']) socket.on(event, () => resolve(false));
  });
}

/** `npm run test:mta` has put them there. */
function programsFolder(): string {
  const folder = process.env.EVERPOST_MAIL_PROGRAMS;
  if (!folder) throw new Error('These tests are run by `npm run test:mta`.');
  return folder;
}

/** For ldconfig: Exim removes LD_LIBRARY_PATH from the environment of what it starts. */
function libraryFolders(): string {
  const folders = globSync('usr/lib/*-linux-gnu', { cwd: programsFolder() });
  const own = ['usr/lib/postfix', ...folders].map((folder) => `${PROGRAMS}/${folder}`);
  return `${['include /etc/ld.so.conf', ...own].join('\n')}\n`;
}
