package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests clients that are never closed: they keep little, and the JVM ends anyway. */
@Timeout(60)
class UnclosedClientTest {
  private static final int CLIENTS = 100;
  private static final long MOST_BYTES_OF_A_CLIENT = 512 * 1024;

  @Test
  void hundredClientsThatAreDroppedKeepLittleMemoryAndLetTheJvmEnd(@TempDir Path directory)
      throws IOException, InterruptedException {
    Path report = directory.resolve("report");
    Path err = directory.resolve("err");
    try (ScriptedBroker broker = ScriptedBroker.start(1)) {
      Process child = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
          "-XX:MaxDirectMemorySize=64m", "-cp", System.getProperty("java.class.path"),
          UnclosedClientTest.class.getName(), broker.address(), report.toString()).redirectError(err.toFile())
          .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      try {
        assertThat(child.waitFor(50, TimeUnit.SECONDS)).as("the JVM ends when main returns").isTrue();
      } finally {
        child.destroyForcibly();
      }
      assertThat(child.exitValue()).as(() -> read(err)).isZero();
      assertThat(Long.parseLong(read(report))).isLessThan(CLIENTS * MOST_BYTES_OF_A_CLIENT);
      assertThat(broker.state().stored(0)).hasSize(CLIENTS);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Sends and reads a record with each client, drops it, and writes the bytes of direct memory to a file. */
  public static void main(String[] args) throws InterruptedException, IOException {
    for (int i = 0; i < CLIENTS; i++) {
      use(args[0]);
    }
    long bytes = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    Files.writeString(Path.of(args[1]), String.valueOf(bytes));
  }

  @SuppressWarnings("resource") // the test drops clients without a close
  private static void use(String address) throws InterruptedException {
    KafkaClient client = KafkaClient.builder(address).runtimeCheck(false).build();
    Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC)
        .open();
    producer.sendAndWait(null, "a");
    Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofSeconds(10)).open();
    consumer.assign(ScriptedBroker.TOPIC, 0);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (consumer.poll(Duration.ofSeconds(1), record -> {}) == 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("nothing is read");
      }
    }
  }
}
