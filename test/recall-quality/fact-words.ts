const split = (text: string) => text.split(' ');

/** What facts are made of, in several languages. */
export const factWords = {
  component: split(
    'billing checkout inventory invoicing search ledger onboarding notifications reporting scheduler gateway catalogue payroll shipping telemetry translation moderation archive calendar thumbnails',
  ),
  tech: split(
    'Postgres Redis Kafka SQLite Elasticsearch Terraform Kubernetes GraphQL Protobuf RabbitMQ ClickHouse Nginx Envoy Consul Vault Memcached Cassandra Prometheus',
  ),
  reason: split(
    'latency compliance licensing backpressure portability observability contention fragmentation durability throughput staffing simplicity',
  ),
  month: split('January February March April June July August September October November December'),
  name: split(
    'Okafor Lindqvist Nakamura Petrova Delacroix Abernathy Yildiz Castellano Mbeki Ferreira Kowalczyk Oyelaran Sandoval Thorvaldsen Varga Whitlock',
  ),
  team: split('logistics security platform finance support research marketing legal'),
  host: split('ember falcon granite harbor juniper kestrel lantern meadow nimbus orchid'),
  symptom: split(
    'deadlocks timeouts duplicates corruption flickering truncation starvation overflow drift leakage',
  ),
  folder: split('auth billing cache db edge flags graph hooks index jobs'),
  file: split('pool router parser session worker matcher cursor planner merger throttle'),
  verb: split('load save merge parse fetch build drop trace split close'),
  noun: split('User Invoice Cursor Batch Token Window Shard Header Quota Replica'),
  library: split('zod fastify vitest esbuild prisma pino commander undici hono drizzle'),
  german: split(
    'Zahlungsabwicklung Lagerbestand Fehlerbehandlung Übersetzung Verschlüsselung Größenbeschränkung Datensicherung Benutzerverwaltung',
  ),
  french: split('sauvegarde chiffrement facturation déploiement réseau fenêtre mémoire abonnement'),
  spanish: split('contraseña almacén facturación búsqueda conexión usuario migración pedido'),
  chinese: split('数据库 缓存 订单 权限 日志 接口 队列 证书'),
  japanese: split('認証 検索 請求 在庫 通知 暗号化 予約 翻訳'),
} as const;

/** A kind of word that facts are made of. */
export type WordKind = keyof typeof factWords;

/** What people say besides. */
export const smallTalk = [
  'Thanks, that looks good to me.',
  'Give me a minute, I am getting coffee.',
  'Could you explain that again in simpler words?',
  'Sure, I will have a look and come back to you.',
  'The weather here is awful today, rain since the morning.',
  'Let us continue after lunch.',
  'Hm, I am not sure about that. What do you think?',
  'Perfect! Next one, please.',
  'Sorry for the delay, the train was late again.',
  'Is there anything else I should know before we go on?',
];
