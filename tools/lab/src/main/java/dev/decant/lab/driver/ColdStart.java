package dev.decant.lab.driver;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Opens a consumer, joins a new group, and waits for the first record, without any warm-up: no class is loaded and
 * nothing is compiled. The latency ends before the consumer is closed.
 */
final class ColdStart implements Work {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final WorkSpec spec;
  private final Histogram latency = new Histogram(Nanos.MOST, 3);
  private final AtomicLong starts = new AtomicLong();

  /** The work {@code cold-start}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("cold-start", "from before the client is opened until the first record is here", Topic.READ_FIRST,
          spec -> new ColdStart(spec), Trait.COUNTED, Trait.DEFAULT_PROTOCOL);
    }
  }

  /** A consumer in a new group. Each client has a class of its own: a JVM has the libraries of one client only. */
  private interface Start extends AutoCloseable {
    int poll() throws InterruptedException;

    @Override
    void close();
  }

  private static final class OfDecant implements Start {
    private final KafkaClient client;
    private final Consumer<byte[], byte[]> consumer;

    OfDecant(WorkSpec spec) {
      client = DecantClients.builder(spec).build();
      consumer = client.consumer(Serdes.bytes(), Serdes.bytes()).group("decant-lab-" + UUID.randomUUID())
          .offsetReset(OffsetReset.EARLIEST).subscribe(spec.topic()).open();
    }

    @Override
    public int poll() throws InterruptedException {
      return consumer.poll(POLL, record -> {});
    }

    @Override
    public void close() {
      consumer.close();
      client.close();
    }
  }

  private static final class OfApache implements Start {
    private final KafkaConsumer<byte[], byte[]> consumer;

    OfApache(WorkSpec spec) {
      Map<String, Object> settings = spec.clientSettings();
      settings.putAll(spec.consumer());
      settings.put("auto.offset.reset", "earliest");
      settings.put("group.id", "decant-lab-" + UUID.randomUUID());
      consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
      consumer.subscribe(List.of(spec.topic()));
    }

    @Override
    public int poll() {
      return consumer.poll(POLL).count();
    }

    @Override
    public void close() {
      consumer.close();
    }
  }

  ColdStart(WorkSpec spec) {
    this.spec = spec;
  }

  @Override
  public long run(long records, long deadlineNanos) throws InterruptedException {
    for (long i = 0; i < records; i++) {
      long started = System.nanoTime();
      try (Start start = spec.isDecant() ? new OfDecant(spec) : new OfApache(spec)) {
        while (start.poll() == 0) {
          if (System.nanoTime() - started >= PATIENCE.toNanos()) {
            throw new IllegalStateException("no record has come within " + PATIENCE);
          }
        }
        latency.recordValue(Nanos.since(started));
      }
      starts.incrementAndGet();
    }
    return records;
  }

  /** Does nothing: a warm-up would load the classes whose first use is measured. */
  @Override
  public long warmUp(WorkSpec.Amount amount) {
    return 0;
  }

  @Override
  public long progress() {
    return starts.get();
  }

  @Override
  public long checksum() {
    return 0;
  }

  @Override
  public Histogram latency() {
    return latency;
  }

  @Override
  public void close() {
    // each start closes its consumer
  }
}
