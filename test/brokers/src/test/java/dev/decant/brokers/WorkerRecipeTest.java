package dev.decant.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.OwnedRecord;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The worker that docs/recipes.md shows, compiled from that page, and told to stop while it works. */
@ExtendWith(PlainCluster.Shared.class)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class WorkerRecipeTest {
  private static final Path PAGE = Path.of("../../docs/recipes.md");
  private static final Pattern WORKER = Pattern.compile("```java\\R((?:(?!```).)*class OrderWorker .*?)```",
      Pattern.DOTALL);
  private static final int RECORDS = 12_000;
  private static final int BAD_EVERY = 2_400;
  /** Says what it handled, one key a line, and takes its time, so that the end comes in the middle of the topic. */
  private static final String MAIN = """
      class RecipeMain extends OrderWorker {
        public static void main(String[] args) throws InterruptedException {
          new RecipeMain().run(args[0]);
        }
        @Override
        void process(String key, byte[] value) {
          if (value.length == 0) {
            throw new IllegalArgumentException("nothing in it");
          }
          System.out.println(key);
          java.util.concurrent.locks.LockSupport.parkNanos(4_000_000);
        }
      }
      """;

  @TempDir
  private Path directory = Path.of("");

  private void compileRecipe() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assumeThat(compiler).as("this Java runtime lacks the module jdk.compiler").isNotNull();
    Matcher page = WORKER.matcher(Files.readString(PAGE));
    assertThat(page.find()).as("a block with the worker in %s", PAGE).isTrue();
    Path worker = Files.writeString(directory.resolve("OrderWorker.java"), page.group(1));
    Path main = Files.writeString(directory.resolve("RecipeMain.java"), MAIN);
    int result = compiler.run(null, null, null, "-proc:none", "-d", directory.toString(),
        "-cp", System.getProperty("java.class.path"), worker.toString(), main.toString());
    assertThat(result).as("exit code of javac").isZero();
  }

  private Process startWorker(KafkaCluster cluster, Path handled) throws IOException {
    return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
        "-XX:MaxDirectMemorySize=256m", "-cp",
        directory + File.pathSeparator + System.getProperty("java.class.path"), "RecipeMain", cluster.bootstrap())
        .redirectOutput(handled.toFile()).redirectError(directory.resolve("errors").toFile()).start();
  }

  /** Lets a worker handle so many records, then tells it to stop, and gives their keys. */
  private List<String> handledBefore(KafkaCluster cluster, int least, String name) throws Exception {
    Path handled = directory.resolve(name);
    Process worker = startWorker(cluster, handled);
    try {
      while (!Files.exists(handled) || Files.readAllLines(handled).size() < least) {
        assertThat(worker.waitFor(20, TimeUnit.MILLISECONDS))
            .as("the worker has ended: %s", Files.readString(directory.resolve("errors"))).isFalse();
      }
      worker.destroy(); // SIGTERM
      assertThat(worker.waitFor(30, TimeUnit.SECONDS)).as("ended").isTrue();
    } finally {
      worker.destroyForcibly();
    }
    return Files.readAllLines(handled);
  }

  @Test
  void noRecordIsLostOrHandledTwiceWhenTheProcessIsToldToStop() throws Exception {
    compileRecipe();
    List<String> good = new ArrayList<>();
    List<String> bad = new ArrayList<>();
    List<String> handled = new ArrayList<>();
    KafkaCluster cluster = PlainCluster.current();
    cluster.createTopic("orders", 3);
    cluster.createTopic("orders-dead", 1);
    try (KafkaClient client = KafkaClient.connect(cluster.bootstrap())) {
      try (Producer<String, byte[]> orders = client.producer(Serdes.string(), Serdes.bytes()).topic("orders")
          .open()) {
        for (int i = 0; i < RECORDS; i++) {
          boolean isBad = i % BAD_EVERY == 0;
          (isBad ? bad : good).add("order-" + i);
          orders.send("order-" + i, isBad ? new byte[0] : new byte[100]);
        }
      }
      handled.addAll(handledBefore(cluster, 300, "first"));
      assertThat(handled).as("stopped in the middle").hasSizeLessThan(good.size());
      handled.addAll(handledBefore(cluster, good.size() - handled.size(), "second"));

      assertThat(deadLetters(client, bad.size())).extracting(OwnedRecord::key)
          .containsExactlyInAnyOrderElementsOf(bad);
    }
    assertThat(handled).containsExactlyInAnyOrderElementsOf(good);
  }

  private static List<OwnedRecord<String, byte[]>> deadLetters(KafkaClient client, int count)
      throws InterruptedException {
    List<OwnedRecord<String, byte[]>> dead = new ArrayList<>();
    try (Consumer<String, byte[]> letters = client.consumer(Serdes.string(), Serdes.bytes())
        .offsetReset(OffsetReset.EARLIEST).open()) {
      letters.assign("orders-dead", 0);
      while (dead.size() < count) {
        letters.poll(Duration.ofSeconds(1), record -> dead.add(record.copy()));
      }
      assertThat(letters.poll(Duration.ZERO, record -> {})).as("more than one copy").isZero();
    }
    for (OwnedRecord<String, byte[]> letter : dead) {
      assertThat(letter.headers()).filteredOn(h -> h.key().equals("dead-letter.error")).singleElement()
          .extracting(h -> new String(h.value(), StandardCharsets.UTF_8))
          .isEqualTo("java.lang.IllegalArgumentException");
      assertThat(letter.headers()).filteredOn(h -> h.key().equals("dead-letter.attempts")).singleElement()
          .extracting(h -> new String(h.value(), StandardCharsets.UTF_8)).isEqualTo("3");
    }
    return dead;
  }
}
