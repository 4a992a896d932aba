import { type Document, ObjectId } from 'mongodb';
import type { Collections } from '../../core/base/collections.ts';
import type { Deps } from '../../core/base/deps.ts';
import { indexes } from '../../platform/mongo/indexes.ts';

/** So many that a scan of a collection, or of a project, shows among the documents that a query examines. */
const COPIES = 60;
const MODELS_MAX = 10;

/** Copies of the documents that there are, for their own projects and for another one, so that MongoDB has plans to choose from. */
export async function fill({ db }: Deps): Promise<void> {
  const stranger = new ObjectId();
  for (const on of Object.keys(db) as Array<keyof Collections>) {
    const collection = db[on] as unknown as Deps['db']['contacts'];
    const models: Document[] = await collection.find({}).limit(MODELS_MAX).toArray();
    const unique = indexes
      .filter((index) => index.on === on && index.options.unique)
      .map(({ key }) => Object.keys(key));
    const varied = unique.map((fields) => fields.at(-1) as string);
    const copies = models.flatMap((model) =>
      Array.from({ length: Math.ceil(COPIES / models.length) }, (_, n) => [
        copyOf(model, varied, n),
        { ...copyOf(model, varied, n + COPIES), ...(model.projectId ? { projectId: stranger } : {}) },
      ]).flat(),
    );
    if (copies.length === 0) continue;
    // Some unique indexes allow one document of a project.
    await collection.insertMany(copies as never[], { ordered: false }).catch((error: { code?: unknown }) => {
      if (error.code !== 11_000) throw error;
    });
  }
}

function copyOf(model: Document, varied: readonly string[], n: number): Document {
  const changed = [...varied, '_id'].filter((field) => model[field] !== undefined);
  return { ...model, ...Object.fromEntries(changed.map((field) => [field, other(model[field], n)])) };
}

function other(value: unknown, n: number): unknown {
  if (value instanceof ObjectId) return new ObjectId();
  if (typeof value === 'number') return value + (n + 1) * 1_000;
  return `${String(value)}-${n}`;
}
