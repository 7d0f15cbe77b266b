// The figures of one run, and which of them miss their goal.

/** What a figure may be at most. The reasons stand in docs/performance.md. */
export const kAtMost = {
  cpu_vs_nginx: 1.25,
  cpu_vs_nginx_64k: 1.5,
  cpu_vs_nginx_tls: 1.15,
  cpu_vs_nginx_tls_64k: 1.15,
  cpu_vs_envoy: 0.333,
  cpu_vs_envoy_controls: 0.167,
  cpu_vs_mcp_proxy: 0.067,
  cpu_2_workers_vs_1: 1.1,
  cpu_2_workers_vs_1_modern: 1.1,
  rss_10k_idle_mib: 96,
  rss_start_mib: 32,
  syscalls_per_request: 5,
  page_faults_per_request_64k: 0.1,
  page_faults_per_request_1m: 1,
  page_faults_per_request_4m: 1,
  page_faults_per_request_8m: 1,
  wrap_rtt_added_us: 15,
  rules_10k_vs_10: 1.1,
  start_ms_200_servers: 1000,
  start_mib_200_servers: 50,
  start_ms_10k_rules: 1000,
  reload_ms_10k_rules: 2000,
  start_10k_rules_ms: 1000,
  reload_10k_rules_ms: 2000,
  check_10k_rules_ms: 3000,
  revoke_100k_rules_ms: 5000,
  cpu_export_vs_none: 1.2,
  p99_export_vs_none: 1.1,
  query_principal_ms: 1000,
  query_refused_ms: 1000,
  query_reason_ms: 1000,
  query_day_ms: 1000,
  query_text_ms: 1000,
  predicates_of_a_call_ns: 500,
  record_ns: 1500,
  schema_ns_6prop: 150,
  schema_compile_10k_us: 1000,
  redact_10k_us: 30,
  redact_10k_found_us: 30,
  corpus_unreviewed: 0,
  corpus_secrets_missed: 0,
  corpus_no_secret_per_2k_files: 1,
};

/** And what it has to be at least. */
export const kAtLeast = {
  index_records_per_s: 50_000,
  postgresql_records_per_s: 50_000,
  schema_vs_valijson: 10,
  scan_gb_s_1k: 2,
  scan_gb_s_8k: 2,
  scan_gb_s_64k: 2,
  rewrite_gb_s_64k: 2,
};

/** Three digits that count; whole numbers stay whole. */
function digits(value) {
  if (value >= 100 || Number.isInteger(value)) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

export class Results {
  #values = new Map();
  #missed = new Set();

  /** `atMost`: what the value may be at most where that depends on another one of the same run. */
  add(name, value, { atMost = Infinity } = {}) {
    if (!Number.isFinite(value)) throw new Error(`${name} has no value`);
    this.#values.set(name, value);
    if (value > atMost) this.#missed.add(name);
  }

  /** Takes over lines `name value [MISSED]` of a program that knows its own goals. */
  addLines(text) {
    for (const line of text.split('\n').filter(Boolean)) {
      const [, name, value, missed] = /^(\w+) ([\d.]+)( MISSED)?$/.exec(line) ?? [];
      if (!name) throw new Error(`no figure: ${line}`);
      this.add(name, Number(value));
      if (missed) this.#missed.add(name);
    }
  }

  get(name) {
    return this.#values.get(name);
  }

  /** Names and values, in the order in which the figures came. */
  entries() {
    return [...this.#values];
  }

  #misses(name, value) {
    if (name in kAtLeast) return value < kAtLeast[name];
    return this.#missed.has(name) || (name in kAtMost && value > kAtMost[name]);
  }

  /** The lines, in that order. */
  text() {
    const lines = this.entries().map(([name, value]) => {
      const missed = this.#misses(name, value);
      return `${name} ${digits(value)}${missed ? ' MISSED' : ''}\n`;
    });
    return lines.join('');
  }
}
