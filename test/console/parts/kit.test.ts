import { expect } from 'chai';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { bundleWithKit } from '../../support/browser/console-kit.ts';
import { until } from '../../support/wait.ts';

describe('The parts of the console', () => {
  const suite = useConsole(bundleWithKit);

  it('are accessible in both themes, all of them on one page', async () => {
    const page = await suite.open('/kit');
    await page.getByRole('heading', { name: 'Funnel' }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 1400, height: 2600 });
    await shoot(page, 'kit');
    await page.goto('/console/kit?view=drawer');
    await page.getByRole('heading', { name: 'orders@kleinmarkt.example' }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'kit-drawer');
  });

  it('fit a telephone', async () => {
    const page = await suite.open('/kit', { width: 375 });
    await page.getByRole('heading', { name: 'Funnel' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(375);
  });

  it('draw a plot again for new points alone', async () => {
    const page = await suite.open('/kit?view=plot');
    await page.getByRole('img', { name: 'A plot of 2 points' }).locator('canvas').waitFor();
    // The first frames give the plot its size, and draw it once more.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await page.evaluate(`
      window.drawings = 0;
      const { clearRect } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        window.drawings += 1;
        return clearRect.apply(this, box);
      };
    `);
    for (let times = 1; times <= 3; times += 1) {
      await page.getByRole('button', { name: 'The same points' }).click();
      await page.getByText(`drawn ${times} times`).waitFor();
    }
    expect(await page.evaluate('drawings')).to.equal(0);
    await page.getByRole('button', { name: 'One more' }).click();
    await page.getByRole('img', { name: 'A plot of 3 points' }).waitFor();
    await until(
      () => page.evaluate('drawings'),
      (drawings) => Number(drawings) > 0,
      { ms: 30_000 },
    );
  });
});
