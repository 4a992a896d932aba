/**
 * Every environment variable that Everpost reads, with its default and one sentence. The table in the documentation is generated from this
 * file. `publicUrl` is read from PUBLIC_URL, and so on.
 */
export interface Variable {
  readonly type: 'string' | 'integer' | 'boolean' | 'list';
  readonly default?: string | number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description: string;
}

export const variables = {
  port: { type: 'integer', default: 3000, minimum: 0, maximum: 65535, description: 'Port of the REST interface.' },
  host: {
    type: 'string',
    default: '127.0.0.1',
    description: 'Address that the REST interface listens on (0.0.0.0 in a container).',
  },
  publicUrl: {
    type: 'string',
    default: '',
    description:
      'Base of every link in a mail and of the public pages, for example https://mail.example.com; empty: http://127.0.0.1:PORT.',
  },
  mongodbUrl: {
    type: 'string',
    default: 'mongodb://127.0.0.1:27017/?replicaSet=rs0',
    description: 'MongoDB replica set or sharded cluster.',
  },
  mongodbDatabase: { type: 'string', default: 'everpost', description: 'Name of the database.' },
  redisUrl: { type: 'string', default: 'redis://127.0.0.1:6379', description: 'Redis, for speed and fan-out only.' },
  temporalAddress: { type: 'string', default: '127.0.0.1:7233', description: 'Temporal frontend, host:port.' },
  temporalUiUrl: {
    type: 'string',
    default: '',
    description: 'Address of the Web UI of Temporal, for links to runs; empty: none are shown.',
  },
  temporalNamespace: { type: 'string', default: 'default', description: 'Temporal namespace.' },
  taskQueuePrefix: {
    type: 'string',
    default: 'everpost',
    description: 'Begins the name of every Temporal task queue and workflow id of this installation.',
  },
  smtpUrl: {
    type: 'string',
    default: 'smtp://127.0.0.1:1025',
    description:
      'The relay that takes outgoing mail: smtp:// or smtps://, with user:password@ when it asks for them. With a user STARTTLS is required, unless the host is this machine or the URL ends in ?requireTLS=false, and the certificate is verified, unless it ends in ?tls.rejectUnauthorized=false. Several, comma separated, share the mail by ?weight= (1), or take it while others are down by ?priority= (0 is first). ?connections= and ?rate= (mails a second) limit one relay, for all processes together.',
  },
  smtpTransactionalUrl: {
    type: 'string',
    default: '',
    description: 'Other relays for the transactional lane, as in SMTP_URL; empty: the same relays.',
  },
  smtpMailbox: {
    type: 'boolean',
    default: 'false',
    description:
      'true: the relay is a mailbox for development that passes no mail on, as that of npm start. Sandbox addresses answer in every project then, and what they take is kept there too.',
  },
  smtpMaxConnections: {
    type: 'integer',
    default: 40,
    minimum: 1,
    maximum: 1000,
    description:
      'Connections to the relay, or to several together, of all processes together. Each gets what it needs, or a fair share.',
  },
  composeMemoryMb: {
    type: 'integer',
    default: 128,
    minimum: 32,
    description:
      'Megabytes that a process may hold for composing and sending mail; 16 of them are kept for single mails under 1 MB.',
  },
  smtpEvidenceUrl: {
    type: 'string',
    default: '',
    description:
      'Asked with ?id=<Message-ID> whether a relay took a message; it has to answer for all relays. Empty: no evidence.',
  },
  smtpEvidenceDelaySeconds: {
    type: 'integer',
    default: 30,
    minimum: 1,
    description:
      'How long the relay gets to finish a mail whose answer was lost, before SMTP_EVIDENCE_URL is asked. Give more where content filters take longer: a mail that the relay takes after it was asked is sent twice.',
  },
  smtpDotTimeoutSeconds: {
    type: 'integer',
    default: 600,
    minimum: 1,
    description: 'How long the relay may take to answer the final dot.',
  },
  inboundSmtpHost: {
    type: 'string',
    default: '127.0.0.1',
    description: 'Address that the inbound mail server listens on.',
  },
  inboundSmtpPort: {
    type: 'integer',
    default: 2525,
    minimum: 0,
    maximum: 65535,
    description: 'Port of the inbound mail server.',
  },
  inboundConnectionsPerAddress: {
    type: 'integer',
    default: 20,
    minimum: 1,
    maximum: 200,
    description: 'Connections that one client may have to the inbound mail server, which takes 200 in all.',
  },
  inboundNetworkMbPerDay: {
    type: 'integer',
    default: 512,
    minimum: 32,
    description:
      'Megabytes of mail to people that one client may bring in a day (UTC), for all projects together. More is put off with 452. Give more where a gateway or a proxy hides the clients.',
  },
  inboundProjectMbPerDay: {
    type: 'integer',
    default: 2_048,
    minimum: 32,
    description:
      'Megabytes of mail to people that a project receives in a day (UTC). More is put off with 452. Bounces, complaints and unsubscribes are neither counted nor put off.',
  },
  inboundProxies: {
    type: 'list',
    default: '',
    description:
      'Addresses of proxies before the inbound mail server that send a PROXY header (version 1), comma separated; empty: none. They are proxies of the submission server too.',
  },
  inboundGateways: {
    type: 'list',
    default: '',
    description:
      'Addresses and networks (10.0.0.0/8) of your own mail servers and proxies before the inbound mail server that name their clients by XFORWARD or XCLIENT, comma separated; empty: nobody may.',
  },
  inboundTlsCertificate: {
    type: 'string',
    default: '',
    description: 'PEM file with the certificate chain of the inbound mail server, for STARTTLS; empty: not offered.',
  },
  inboundTlsKey: { type: 'string', default: '', description: 'PEM file with the private key of that certificate.' },
  submissionHost: {
    type: 'string',
    default: '127.0.0.1',
    description: 'Address that the submission server listens on: mail of your own programs, by SMTP with an API key.',
  },
  submissionPort: {
    type: 'integer',
    default: 2587,
    minimum: 0,
    maximum: 65535,
    description: 'Port of the submission server; STARTTLS where there is a certificate.',
  },
  submissionTlsPort: {
    type: 'integer',
    default: 2465,
    minimum: 0,
    maximum: 65535,
    description: 'Port of the submission server with TLS from the first byte; closed without a certificate.',
  },
  submissionTlsCertificate: {
    type: 'string',
    default: '',
    description:
      'PEM file with the certificate chain of the submission server; empty: no TLS, and clients on this machine alone may log in.',
  },
  submissionTlsKey: { type: 'string', default: '', description: 'PEM file with the private key of that certificate.' },
  submissionPlainAuth: {
    type: 'boolean',
    default: 'false',
    description:
      'true: API keys are taken without TLS from other machines too, for a private network that encrypts by itself.',
  },
  consoleFrom: {
    type: 'string',
    default: '',
    description:
      'Address that mails with sign-in links come from, for example everpost@mail.example.com; empty: links are made with `npm run admin -- members link` alone.',
  },
  dnsServers: {
    type: 'list',
    default: '',
    description: 'Resolvers for domain checks, host or host:port, comma separated; empty: those of the system.',
  },
  providerAUrl: {
    type: 'string',
    default: 'https://api.sendgrid.com',
    description: 'Provider A, the source of migrations.',
  },
  providerBUrl: {
    type: 'string',
    default: 'https://api.resend.com',
    description: 'Provider B, the source of migrations.',
  },
  providerAImageHosts: {
    type: 'list',
    default: 'cdn.mcauto-images-production.sendgrid.net,marketing-image-production.s3.amazonaws.com',
    description: 'Hosts whose images are fetched and served from /media.',
  },
  providerBRate: { type: 'integer', default: 2, minimum: 1, description: 'Requests a second to provider B.' },
  migrationPatienceSeconds: {
    type: 'integer',
    default: 120,
    minimum: 0,
    description: 'How long a source provider may keep failing before a migration holds and asks for attention.',
  },
  secretKeys: {
    type: 'list',
    default: '',
    description:
      'Keys that seal stored secrets, name:base64 of 32 bytes, comma separated; the first one seals. `npm start` makes one.',
  },
  dataDir: {
    type: 'string',
    default: '.data',
    description: 'Where the embedded servers keep their data, and sending processes their dot journals.',
  },
  mediaStore: {
    type: 'string',
    default: 'folder',
    description:
      'Where the pictures of projects are kept: folder (MEDIA_DIR), mongodb, or s3://BUCKET or s3://BUCKET/PREFIX. With API processes on several machines it is mongodb or s3, the same for all processes.',
  },
  mediaDir: {
    type: 'string',
    default: '',
    description: 'The folder of MEDIA_STORE=folder; empty: media under DATA_DIR.',
  },
  s3Endpoint: {
    type: 'string',
    default: '',
    description: 'URL of the S3 server, for example https://s3.example.com; empty: that of AWS in S3_REGION.',
  },
  s3Region: { type: 'string', default: 'us-east-1', description: 'Region of the bucket of MEDIA_STORE.' },
  s3AccessKey: {
    type: 'string',
    default: '',
    description: 'Key that may get, put and delete the objects of that bucket, and list it.',
  },
  s3SecretKey: { type: 'string', default: '', description: 'The secret of that key.' },
  s3PathStyle: {
    type: 'boolean',
    default: 'true',
    description: 'false: the bucket is in the host of the URL, for servers that do not take it in the path.',
  },
  rateLimit: { type: 'integer', default: 600_000, minimum: 1, description: 'Requests a minute for each API key.' },
  authFailureLimit: {
    type: 'integer',
    default: 600,
    minimum: 1,
    description: 'Requests with a bad key a minute for each address.',
  },
  publicRateLimit: {
    type: 'integer',
    default: 600,
    minimum: 1,
    description:
      'Requests a minute for each address, counted for each kind of public page by itself: pixels and tracked links, pictures, forms, unsubscribing, preferences, views, data, signing in. A link of a mail has this limit for itself.',
  },
  sendNowDelay: {
    type: 'integer',
    default: 0,
    minimum: 0,
    description: 'Seconds between publishing a campaign with sendNow and its start.',
  },
  automatedOpenSeconds: {
    type: 'integer',
    default: 5,
    minimum: 0,
    description: 'An open or click within so many seconds of delivery is by a machine.',
  },
  mailHost: {
    type: 'string',
    default: '',
    description: 'Host named in MX records and return paths; empty: the host of PUBLIC_URL.',
  },
  postmasterTo: {
    type: 'string',
    default: '',
    description:
      'Address at a domain that receives mail here: letters to postmaster@, abuse@ and fbl@ of MAIL_HOST become inbound messages of its project. Empty: they are refused.',
  },
  spfRecord: {
    type: 'string',
    default: '',
    description: 'The SPF record that domains publish; empty: v=spf1 a:<MAIL_HOST> ~all.',
  },
  allowPrivateUrls: {
    type: 'list',
    default: '',
    description: 'host:port pairs that attachment, image and webhook URLs may name although they are private.',
  },
  trustedProxies: {
    type: 'integer',
    default: 0,
    minimum: 0,
    description: 'How many proxies in front of the REST interface add to X-Forwarded-For.',
  },
  enrollPerSecond: {
    type: 'integer',
    default: 30,
    minimum: 1,
    description: 'Automation enrollments started a second, by all processes together.',
  },
  retentionDays: {
    type: 'integer',
    default: 180,
    minimum: 1,
    description: 'Days that messages and events are kept; less than 60 is allowed with a warning in the log.',
  },
  consentRetentionDays: {
    type: 'integer',
    default: 1_095,
    minimum: 1,
    description: 'Days that the consents of a deleted contact are kept, without address, after they were erased.',
  },
  workerLanes: {
    type: 'list',
    default: 'workflows,background,campaign,mail',
    description: 'What a worker process does: workflows, background, campaign, mail, inbound, submission.',
  },
  workerProcesses: {
    type: 'integer',
    default: 1,
    minimum: 1,
    description: 'Processes that send campaigns, which npm start runs: one for each two processors.',
  },
  workflowBundle: {
    type: 'string',
    default: '',
    description:
      'File that `node workers/bundle.ts` has written, as in the image; empty: a worker makes its own when it starts.',
  },
  consoleBundle: {
    type: 'string',
    default: '',
    description:
      'Folder that `node api/console/bundle.ts FOLDER` has written, as in the image; empty: the API bundles the console when it starts, and keeps it in DATA_DIR.',
  },
  workerPort: {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 65535,
    description: 'Port of a worker process for /health/live, /health/ready and /metrics; 0: any free one.',
  },
  operationTimeoutMs: {
    type: 'integer',
    default: 4_500,
    minimum: 100,
    description: 'How long a request may wait for MongoDB before it is answered with 503.',
  },
  logLevel: { type: 'string', default: 'info', description: 'debug, info, warn or error.' },
} as const satisfies Record<string, Variable>;

type ValueOf<V extends Variable> = V['type'] extends keyof Values ? Values[V['type']] : never;

interface Values {
  string: string;
  integer: number;
  boolean: boolean;
  list: string[];
}

export type Config = { readonly [Name in keyof typeof variables]: ValueOf<(typeof variables)[Name]> };

export function variableName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
