package dev.decant.faults.work;

import dev.decant.faults.Footprint;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Order;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process that works on many keys and measures its own memory. Arguments: addresses of brokers. Requests on standard
 * input: {@code send TOPIC RECORDS KEYS}, {@code idle TOPIC}, {@code work TOPIC RECORDS} and
 * {@code hold TOPIC RECORDS}, which has all records under way at once. Responses are bytes of heap and of direct
 * memory.
 */
final class KeysProgram {
  private static final int VALUE_BYTES = 100;
  private static final int SAMPLES = 8;
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final KafkaClient client;

  private KeysProgram(KafkaClient client) {
    this.client = client;
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    try (KafkaClient client = KafkaClient.builder(arguments[0]).runtimeCheck(false).build()) {
      KeysProgram program = new KeysProgram(client);
      BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String request = requests.readLine(); request != null; request = requests.readLine()) {
        System.out.println("ok " + program.respond(request.split(" ", -1)));
      }
    }
  }

  private String respond(String[] words) throws InterruptedException {
    return switch (words[0]) {
      case "send" -> send(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]));
      case "idle" -> text(idle(words[1]));
      case "work" -> text(work(words[1], Integer.parseInt(words[2])));
      case "hold" -> text(hold(words[1], Integer.parseInt(words[2])));
      default -> throw new IllegalArgumentException("no request " + words[0]);
    };
  }

  private static String text(Footprint footprint) {
    return footprint.heap() + " " + footprint.direct();
  }

  private String send(String topic, int records, int keys) throws InterruptedException {
    byte[] value = new byte[VALUE_BYTES];
    try (Producer<byte[], byte[]> producer = client.producer(Serdes.bytes(), Serdes.bytes()).topic(topic).open()) {
      for (int i = 0; i < records; i++) {
        producer.send(ByteBuffer.allocate(Long.BYTES * 2).putLong(i % keys).array(), value);
      }
      return Boolean.toString(producer.flush(java.time.Duration.ofMinutes(2)));
    }
  }

  private WorkBuilder<byte[], byte[]> builder(String topic) {
    return Work.on(client, Serdes.bytes(), Serdes.bytes()).group(topic + "-group").subscribe(topic)
        .order(Order.BY_KEY);
  }

  /** Measures a work that has partitions without records. */
  private Footprint idle(String topic) throws InterruptedException {
    try (Work work = builder(topic).open((ConsumerRecord<byte[], byte[]> record) -> {})) {
      while (work.status().partitions().isEmpty()) {
        WorkBench.hold(LOOK_AGAIN_NANOS);
      }
      return Footprint.take(0, 0);
    }
  }

  /** The largest of some samples while all records are handled, with the default bounds. */
  private Footprint work(String topic, int records) throws InterruptedException {
    AtomicLong handled = new AtomicLong();
    try (Work work = builder(topic).open((ConsumerRecord<byte[], byte[]> record) -> handled.incrementAndGet())) {
      Footprint largest = Footprint.take(0, 0);
      for (int sample = 1; sample <= SAMPLES; sample++) {
        while (handled.get() < (long) records * sample / SAMPLES) {
          if (!work.status().isHealthy()) {
            throw new IllegalStateException(work.status().toString());
          }
          WorkBench.hold(LOOK_AGAIN_NANOS);
        }
        Footprint next = Footprint.take(0, 0);
        largest = next.heap() + next.direct() > largest.heap() + largest.direct() ? next : largest;
      }
      return largest;
    }
  }

  /** Measures a work that has taken all records, while its handlers wait. */
  private Footprint hold(String topic, int records) throws InterruptedException {
    CountDownLatch held = new CountDownLatch(1);
    try (Work work = builder(topic).maxUnderWay(records, records).maxBytesUnderWay(1L << 30)
        .open((ConsumerRecord<byte[], byte[]> record) -> held.await())) {
      while (work.status().underWay() < records) {
        WorkBench.hold(LOOK_AGAIN_NANOS);
      }
      Footprint footprint = Footprint.take(0, 0);
      held.countDown();
      return footprint;
    }
  }
}
