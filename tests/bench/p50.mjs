// What a proxy adds to the median time of a call: one connection, and client, proxy and origin on
// one core, since over two cores the wake-up of an idle one is all that one would see.
import { kProxyCore, kRounds, kSecondsEach, median, say } from './processes.mjs';
import { load, startBartizan, startHaproxy, startNginx, startOrigin } from './targets.mjs';

// What checking may cost a client that waits for one call after the other.
const kAboveNginxUs = 5;

export async function p50(results) {
  const origin = await startOrigin(kProxyCore);
  const targets = [origin, await startNginx(origin), await startHaproxy(origin), await startBartizan(origin)];
  const rounds = [];
  for (let round = 0; round < kRounds; round += 1) {
    const row = {};
    for (const target of targets) {
      const { p50_us } = await load(target, {}, ['--seconds', kSecondsEach], kProxyCore);
      row[target.name] = p50_us;
    }
    rounds.push(row);
    say(`one core, round ${round + 1} of ${kRounds}, p50 µs: ${JSON.stringify(row)}`);
  }
  const added = (name) => median(rounds.map((row) => row[name] - row.direct));
  results.add('p50_added_us', added('bartizan'), { atMost: added('nginx') + kAboveNginxUs });
  results.add('p50_added_nginx_us', added('nginx'));
  results.add('p50_added_haproxy_us', added('haproxy'));
  for (const target of targets.reverse()) await target.stop();
}
