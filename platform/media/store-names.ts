import type { Config } from '../../schemas/config.ts';

type StoreName = { kind: 'folder' } | { kind: 'mongodb' } | { kind: 's3'; bucket: string; prefix: string };

export const STORES = 'folder, mongodb, s3://BUCKET or s3://BUCKET/PREFIX';

const S3_STORE = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/[A-Za-z0-9._/-]*)?$/;
const REGION = /^[a-z0-9-]{1,64}$/;

/** null: not a store. */
export function readStoreName(text: string): StoreName | null {
  if (text === 'folder' || text === 'mongodb') return { kind: text };
  const [, bucket, path = ''] = S3_STORE.exec(text) ?? [];
  if (bucket === undefined) return null;
  const folders = path.split('/').filter(Boolean);
  if (folders.some((folder) => /^\.+$/.test(folder))) return null;
  return { kind: 's3', bucket, prefix: folders.map((folder) => `${folder}/`).join('') };
}

export type S3Settings = Pick<Config, 's3Endpoint' | 's3Region' | 's3AccessKey' | 's3SecretKey' | 's3PathStyle'>;

/** Returns one sentence on what has to be set, without repeating a value that may be secret; null: the store can be opened. */
export function storeFault(text: string, settings: S3Settings): string | null {
  const store = readStoreName(text);
  if (!store) return `it must be ${STORES}.`;
  return store.kind === 's3' ? s3Fault(settings) : null;
}

function s3Fault({ s3Endpoint, s3Region, s3AccessKey, s3SecretKey }: S3Settings): string | null {
  if (!s3AccessKey || !s3SecretKey) return 'an s3:// store needs S3_ACCESS_KEY and S3_SECRET_KEY.';
  if (!REGION.test(s3Region)) return 'S3_REGION must be a name such as eu-central-1.';
  if (s3Endpoint && !isEndpoint(s3Endpoint))
    return 'S3_ENDPOINT must be http:// or https:// with a host, and without a path, query or password.';
  return null;
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    url.search + url.hash + url.username + url.password === ''
  );
}
