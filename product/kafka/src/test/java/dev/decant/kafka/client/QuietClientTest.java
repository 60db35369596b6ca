package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the client writes nothing to the streams of a JVM with default settings. */
@Timeout(60)
class QuietClientTest {
  private static final int RECORDS = 1_000;
  /** Flags without a reason for a warning, on any machine. */
  private static final List<String> GOOD = List.of("-XX:+UseG1GC", "-XX:ActiveProcessorCount=2", "-Xmx256m",
      "-XX:MaxDirectMemorySize=128m", "-XX:ParallelGCThreads=1", "-XX:ConcGCThreads=1");

  @Test
  void ordinaryRunPrintsNothing(@TempDir Path directory) throws IOException, InterruptedException {
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Path done = directory.resolve("done");
    try (ScriptedBroker broker = ScriptedBroker.start(1)) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(GOOD);
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), QuietClientTest.class.getName(),
          broker.address(), done.toString()));
      Process child = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      try {
        assertThat(child.waitFor(40, TimeUnit.SECONDS)).as("the child has ended").isTrue();
      } finally {
        child.destroyForcibly();
      }
      assertThat(Files.readString(err)).isEmpty();
      assertThat(Files.readString(out)).isEmpty();
      assertThat(child.exitValue()).isZero();
      assertThat(Files.readString(done)).isEqualTo(String.valueOf(RECORDS));
      assertThat(broker.state().stored(0)).hasSize(RECORDS);
    }
  }

  /** Produces and consumes, and writes the number of records to a file. */
  public static void main(String[] args) throws InterruptedException, IOException {
    int[] read = new int[1];
    try (KafkaClient client = KafkaClient.connect(args[0]);
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string())
            .topic(ScriptedBroker.TOPIC).open();
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string())
            .offsetReset(OffsetReset.EARLIEST).open()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      for (int i = 0; i < RECORDS / 2; i++) {
        producer.send("key" + i, "value" + i);
        producer.sendAndWait(null, "value" + i);
      }
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (read[0] < RECORDS && deadline - System.nanoTime() > 0) {
        consumer.poll(Duration.ofSeconds(1), record -> read[0]++);
      }
    }
    Files.writeString(Path.of(args[1]), String.valueOf(read[0]));
  }
}
