package dev.decant.lab.driver;

import dev.decant.event.Registration;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Each thread opens a client, waits until the client knows the topic, closes it, and opens the next one. Each client
 * has its own keys, so no TLS session is resumed. The latency ends before the client is closed.
 */
public final class Connect implements Work {
  private static final String CONNECTIONS = "connections_per_record";
  private static final Map<String, Object> ONE_CONNECTION = Map.of("enable.idempotence", "false", "acks", "1");

  private final Opening opening;
  private final CallerThreads callers;
  private final Histogram latency = new ConcurrentHistogram(Nanos.MOST, 3);
  private final AtomicLong opened = new AtomicLong();
  private final AtomicLong connections = new AtomicLong();
  private long connectionsBefore;
  private long openedBefore;

  /** The work {@code connect}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("connect", "from before a client is opened until it knows the topic", Topic.EMPTY,
          spec -> new Connect(spec, () -> openClient(spec)));
    }
  }

  /** A client that knows the topic. Each client has a class of its own: a JVM has the libraries of one client only. */
  public interface Opened extends AutoCloseable {
    /**
     * Returns the number of connections that the client has made.
     *
     * @return the number since it was opened
     */
    long connections();

    @Override
    void close();
  }

  /** Opens a client and waits until it knows the topic. Any thread. */
  public interface Opening {
    /**
     * Opens a client.
     *
     * @return to be closed
     * @throws IOException when there is no connection
     * @throws InterruptedException if the thread was interrupted
     */
    Opened open() throws IOException, InterruptedException;
  }

  private static final class OfDecant implements Opened, ConnectionListener {
    private final AtomicLong ready = new AtomicLong();
    private final KafkaClient client;
    private final Producer<byte[], byte[]> producer;

    OfDecant(WorkSpec spec) throws InterruptedException {
      client = DecantClients.builder(spec).build();
      try {
        Registration unused = client.events().watchConnections(this);
        producer = client.producer(Serdes.bytes(), Serdes.bytes()).properties(ONE_CONNECTION).topic(spec.topic())
            .open();
      } catch (RuntimeException e) {
        client.close();
        throw e;
      }
    }

    @Override
    public void onReady(String broker, long nanos) {
      ready.incrementAndGet();
    }

    @Override
    public long connections() {
      return ready.get();
    }

    @Override
    public void close() {
      producer.close();
      client.close();
    }
  }

  private static final class OfApache implements Opened {
    private final KafkaProducer<byte[], byte[]> producer;

    OfApache(WorkSpec spec) {
      Map<String, Object> settings = spec.clientSettings();
      settings.putAll(ONE_CONNECTION);
      producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
      if (producer.partitionsFor(spec.topic()).size() != spec.partitions()) {
        throw new IllegalStateException("the topic has another number of partitions");
      }
    }

    @Override
    public long connections() {
      return producer.metrics().values().stream()
          .filter(metric -> metric.metricName().name().equals("connection-creation-total")).map(Metric::metricValue)
          .mapToLong(total -> ((Number) total).longValue()).sum();
    }

    @Override
    public void close() {
      producer.close();
    }
  }

  /**
   * Prepares the callers; no client is opened yet.
   *
   * @param spec says how many threads open clients
   * @param opening opens each client
   */
  public Connect(WorkSpec spec, Opening opening) {
    this.opening = opening;
    callers = new CallerThreads(spec.load());
  }

  @Override
  public long run(long records, long deadlineNanos) throws Exception {
    return callers.run(records, (caller, share) -> {
      long done = 0;
      while (done < share && System.nanoTime() - deadlineNanos < 0) {
        long started = System.nanoTime();
        try (Opened client = opening.open()) {
          latency.recordValue(Nanos.since(started));
          connections.addAndGet(client.connections());
        }
        opened.incrementAndGet();
        done++;
      }
      return done;
    });
  }

  private static Opened openClient(WorkSpec spec) throws InterruptedException {
    return spec.isDecant() ? new OfDecant(spec) : new OfApache(spec);
  }

  @Override
  public void begin() {
    Work.super.begin();
    callers.forget();
    connectionsBefore = connections.get();
    openedBefore = opened.get();
  }

  @Override
  public long progress() {
    return opened.get();
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
  public void figures(long records, Map<String, Double> figures) {
    callers.addAllocation(records, figures);
    figures.put(CONNECTIONS, (connections.get() - connectionsBefore) / (double) (opened.get() - openedBefore));
  }

  @Override
  public void close() {
    // each client is closed already
  }
}
