/** The former path of cli/admin.ts, for one release. */
import { run } from '../cli/admin.ts';

run(process.argv.slice(2));
