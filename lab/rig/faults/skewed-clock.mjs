// Preloaded with NODE_OPTIONS=--import: this process's calendar is wrong by DRILL_SKEW_MS, and after DRILL_SKEW_STEP_AFTER_MS by
// DRILL_SKEW_STEP_MS more. The monotonic clock goes on as it does when somebody sets a machine's time.
const skewMs = Number(process.env.DRILL_SKEW_MS ?? 0);
const stepMs = Number(process.env.DRILL_SKEW_STEP_MS ?? 0);
const stepAfterMs = Number(process.env.DRILL_SKEW_STEP_AFTER_MS ?? Number.POSITIVE_INFINITY);
const RealDate = Date;
const now = () => RealDate.now() + skewMs + (performance.now() > stepAfterMs ? stepMs : 0);

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
